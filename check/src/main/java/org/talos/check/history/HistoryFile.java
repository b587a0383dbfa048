// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.talos.cli.CommandException;

/** A file that holds a history as lines of JSON, one operation each. Immutable. */
public final class HistoryFile {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectReader READER = JSON.readerFor(Operation.class);

    private HistoryFile() {}

    /** Appends an operation. */
    static void write(Writer to, Operation operation) throws IOException {
        to.write(JSON.writeValueAsString(operation));
        to.write('\n');
    }

    /**
     * All operations, in the order in which they ended.
     *
     * @throws CommandException a line is not an operation
     */
    public static List<Operation> read(Path file) throws IOException, CommandException {
        List<Operation> operations = new ArrayList<>();
        Texts texts = new Texts();
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                operations.add(texts.once((Operation) READER.readValue(line)));
            }
        } catch (JsonProcessingException e) {
            throw new CommandException(
                    file + ", line " + (operations.size() + 1) + " is no operation of a history: "
                            + e.getOriginalMessage(),
                    e);
        }
        return operations;
    }
}
