// SPDX-License-Identifier: Apache-2.0
/// Puts a reviewed change set into a directory of this machine: all of it or nothing, through no link, and never by git.
@org.jspecify.annotations.NullMarked
package dev.redoma.cli.apply;
