// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.util.List;

/// What an unpacking made: counts, members that were not made (devices, FIFOs), and links kept although they point out of the folder.
public record Unpacked(long files, long bytes, List<String> leftOut, List<String> leavingLinks) {}
