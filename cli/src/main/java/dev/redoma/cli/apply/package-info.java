// SPDX-License-Identifier: Apache-2.0
/// Puts a reviewed change set into a directory of this machine, or on a branch of a repository: all of it or nothing, through no link, and by no program.
@org.jspecify.annotations.NullMarked
package dev.redoma.cli.apply;
