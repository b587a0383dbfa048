// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.util.Optional;

/**
 * The outcomes of all messages, including those of the warm-up. Immutable.
 *
 * @param acknowledged puts that succeeded
 * @param received messages that were got, each the next of its partition
 * @param stored messages that the server says it has
 * @param failed puts and gets that failed, and messages that were not the next of their partition
 * @param firstFailure what went wrong first
 */
public record LoadCounts(long acknowledged, long received, long stored, long failed, Optional<String> firstFailure) {
    private static final String BEGIN = "talos-bench-counts";
    private static final int WORDS = 6;

    /** For the standard output of the client's process. */
    public String line() {
        return String.join(
                " ",
                BEGIN,
                Long.toString(acknowledged),
                Long.toString(received),
                Long.toString(stored),
                Long.toString(failed),
                firstFailure.orElse("").replaceAll("\\s+", " "));
    }

    /**
     * Reads a line of that output.
     *
     * @return empty for another line
     */
    public static Optional<LoadCounts> of(String line) {
        String[] words = line.split(" ", WORDS);
        if (words.length < WORDS || !words[0].equals(BEGIN)) {
            return Optional.empty();
        }
        return Optional.of(new LoadCounts(
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                words[5].isEmpty() ? Optional.empty() : Optional.of(words[5])));
    }
}
