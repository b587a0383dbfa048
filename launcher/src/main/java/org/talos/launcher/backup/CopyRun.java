// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.backup;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Output;
import org.talos.cli.Progress;
import org.talos.server.boot.copy.DataCopy;
import org.talos.server.boot.copy.DataCopy.Copied;
import org.talos.server.hadoop.ReportLine;
import org.talos.server.hadoop.ReportLine.Status;
import org.talos.server.storage.StorageException;

/** One copy and its messages to the user. Confined: the main thread. */
final class CopyRun {
    private final CommandContext context;
    private final Output output;
    private final PrintWriter err;
    private final String command;

    CopyRun(CommandContext context, Output output, PrintWriter err, String command) {
        this.context = context;
        this.output = output;
        this.err = err;
        this.command = command;
    }

    /** Copies and then reads the copy, and shows the progress of both; returns 1 if the copy is not whole. */
    int run(Path from, Path to) throws CommandException {
        Copied copied;
        try (Progress progress =
                output.json() ? Progress.silent() : new Progress(context, err, command, Progress.Unit.BYTES, 0)) {
            copied = DataCopy.copy(from, to, progress::at);
        } catch (IOException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        } catch (StorageException e) {
            boolean used = e.reason() == StorageException.Reason.UNAVAILABLE;
            throw new CommandException(e.getMessage() + (used ? ": stop the server first" : ""), e);
        }
        boolean whole = copied.diagnosis().healthy();
        output.printDone(context, document(copied), text(copied));
        return whole ? 0 : 1;
    }

    private static List<ReportLine> failures(Copied copied) {
        return copied.diagnosis().results().stream()
                .filter(each -> each.status() == Status.FAIL)
                .toList();
    }

    private static List<String> text(Copied copied) {
        List<String> lines = new ArrayList<>();
        for (ReportLine each : failures(copied)) {
            lines.add(String.format(Locale.ROOT, "FAIL  %-10s  %s", each.what(), each.detail()));
        }
        lines.add(String.format(
                Locale.ROOT,
                "%s: %d files, %d bytes, %s",
                copied.place(),
                copied.files(),
                copied.bytes(),
                lines.isEmpty()
                        ? "read and whole"
                        : "not whole: see what bin/talos doctor --local --full says of what was copied"));
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
