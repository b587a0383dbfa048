// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.backup;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.talos.cli.CommandException;
import org.talos.cli.Output;
import org.talos.cli.Surroundings;
import org.talos.server.boot.DataCopy;
import org.talos.server.boot.DataCopy.Copied;
import org.talos.server.hadoop.ReportLine;
import org.talos.server.hadoop.ReportLine.Status;
import org.talos.server.storage.StorageException;

/** One copy, and what is said of it. Confined: the main thread. */
final class CopyRun {
    private static final int MIB_BITS = 20;
    private static final long PROGRESS_BYTES = 512L << MIB_BITS;

    private final Surroundings surroundings;
    private final Output output;
    private final PrintWriter err;
    private long said;

    CopyRun(Surroundings surroundings, Output output, PrintWriter err) {
        this.surroundings = surroundings;
        this.output = output;
        this.err = err;
    }

    /** Copies; 1 if the copy is not whole. */
    int run(Path from, Path to) throws CommandException {
        Copied copied;
        try {
            copied = DataCopy.copy(from, to, this::progress);
        } catch (IOException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        } catch (StorageException e) {
            boolean used = e.reason() == StorageException.Reason.UNAVAILABLE;
            throw new CommandException(e.getMessage() + (used ? ": stop the server first" : ""), e);
        }
        boolean whole = copied.diagnosis().healthy();
        output.printDone(surroundings, document(copied), text(copied));
        return whole ? 0 : 1;
    }

    /** A line on standard error after each large piece, of copying and then of reading. */
    private void progress(long bytes, long of) {
        if (bytes < said) {
            said = 0;
        }
        if (bytes - said >= PROGRESS_BYTES) {
            said = bytes;
            err.println((bytes >> MIB_BITS) + " of " + (of >> MIB_BITS) + " MiB");
            err.flush();
        }
    }

    private static List<ReportLine> failures(Copied copied) {
        return copied.diagnosis().results().stream()
                .filter(each -> each.status() == Status.FAIL)
                .toList();
    }

    private static List<String> text(Copied copied) {
        List<String> lines = new ArrayList<>();
        for (ReportLine each : failures(copied)) {
            lines.add("FAIL  %-10s  %s".formatted(each.what(), each.detail()));
        }
        lines.add("%s: %d files, %d bytes, %s"
                .formatted(
                        copied.place(),
                        copied.files(),
                        copied.bytes(),
                        lines.isEmpty() ? "read and whole" : "not whole: what it was copied from is damaged"));
        return lines;
    }

    private static ObjectNode document(Copied copied) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("place", copied.place().toString())
                .put("files", copied.files())
                .put("bytes", copied.bytes())
                .put("whole", copied.diagnosis().healthy());
        var failures = json.putArray("failures");
        failures(copied)
                .forEach(each -> failures.addObject().put("what", each.what()).put("detail", each.detail()));
        return json;
    }
}
