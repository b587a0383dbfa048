// SPDX-License-Identifier: Apache-2.0
package org.talos.check.faulty;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/**
 * The trouble with the writes of a server's journals, as a file of another process says. Immutable.
 *
 * @param oneIn every so manieth write
 * @param by time that a slow write takes more
 */
public record JournalTrouble(How how, int oneIn, Duration by) {
    /** None. */
    public static final JournalTrouble NONE = new JournalTrouble(How.NONE, 1, Duration.ZERO);

    /** The way in which writes go wrong. Immutable. */
    public enum How {
        NONE("not at all"),
        /** Nothing of the batch is written. */
        BEFORE("with nothing written"),
        /** The first half of the batch is written. */
        TORN("in the middle"),
        /** All is written, and synced if it is to be, and the error comes then. */
        AFTER("with all written"),
        SLOW("slowly");

        private final String shown;

        How(String shown) {
            this.shown = shown;
        }

        /** The way in words. */
        public String shown() {
            return shown;
        }
    }

    /** Writes it to the file, which is replaced as a whole. */
    public void write(Path file) throws IOException {
        Path written = Files.writeString(
                file.resolveSibling(file.getFileName() + ".new"), how + " " + oneIn + " " + by.toMillis());
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Reads what was written. */
    static JournalTrouble read(Path file) throws IOException {
        String[] words = Files.readString(file).strip().split(" ");
        return new JournalTrouble(
                How.valueOf(words[0]), Integer.parseInt(words[1]), Duration.ofMillis(Long.parseLong(words[2])));
    }
}
