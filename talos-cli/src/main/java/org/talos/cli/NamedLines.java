// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Reads files of lines {@code name=value}, as credentials and profiles are; other lines are skipped. Immutable. */
final class NamedLines {
    private NamedLines() {}

    /** Returns the values by name, without blanks around them. */
    static Map<String, String> read(Path file) throws IOException {
        Map<String, String> lines = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                lines.put(
                        line.substring(0, equals).strip(),
                        line.substring(equals + 1).strip());
            }
        }
        return lines;
    }
}
