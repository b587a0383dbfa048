// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.talos.cli.CommandException;
import org.talos.cli.Output;
import org.talos.cli.Surroundings;
import org.talos.server.boot.Doctor;
import org.talos.server.hadoop.Inventory;
import org.talos.server.hadoop.ReportLine;
import org.talos.server.hadoop.ReportLine.Status;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Says whether a server could work with the stores of a configuration, and what they hold.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "doctor",
        description =
                "Look at the stores that a configuration names, without a server: reached, versions, permissions, "
                        + "copies, clocks; then the files and the rows that they hold. Nothing is changed but a file of its own.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:a server can work so", "1:it can't: see the lines with FAIL", "2:wrong usage"})
public final class DoctorCommand implements Callable<Integer> {
    private final Surroundings surroundings;

    @Mixin
    private Settings settings = new Settings();

    @Mixin
    private Output output = new Output();

    @Option(names = "--show", paramLabel = "N", description = "Files and rows to tell by name, each. Default: 20")
    private int shown = 20;

    /** The command. */
    public DoctorCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException, CommandException {
        Doctor.Diagnosis report = Doctor.examine(settings.read(surroundings), shown);
        output.print(surroundings, document(report), text(report));
        return report.healthy() ? 0 : 1;
    }

    private static List<String> text(Doctor.Diagnosis report) {
        List<String> lines = new ArrayList<>();
        for (ReportLine each : report.findings()) {
            lines.add("%-4s  %-10s  %s".formatted(name(each.status()), each.what(), each.detail()));
            if (!each.hint().isEmpty()) {
                lines.add("                  -> " + each.hint());
            }
        }
        report.holdings().forEach(holding -> add(holding, lines));
        return lines;
    }

    private static void add(Inventory holding, List<String> lines) {
        lines.add("");
        lines.add(holding.what() + ": " + holding.count() + (holding.isCut() ? " and more" : ""));
        holding.first().forEach(each -> lines.add("  " + each.line()));
        if (holding.count() > holding.first().size()) {
            lines.add("  …");
        }
        new TreeMap<>(holding.totals())
                .forEach((kind, total) ->
                        lines.add("  %-16s %10d  %15d bytes".formatted(kind, total.count(), total.bytes())));
    }

    private static ObjectNode document(Doctor.Diagnosis report) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("healthy", report.healthy());
        ArrayNode findings = json.putArray("findings");
        for (ReportLine each : report.findings()) {
            findings.addObject()
                    .put("status", name(each.status()))
                    .put("what", each.what())
                    .put("detail", each.detail())
                    .put("hint", each.hint());
        }
        ArrayNode holdings = json.putArray("holdings");
        report.holdings().forEach(each -> add(each, holdings.addObject()));
        return json;
    }

    private static void add(Inventory holding, ObjectNode json) {
        json.put("what", holding.what()).put("count", holding.count()).put("complete", !holding.isCut());
        ObjectNode totals = json.putObject("totals");
        new TreeMap<>(holding.totals())
                .forEach((kind, total) ->
                        totals.putObject(kind).put("count", total.count()).put("bytes", total.bytes()));
        ArrayNode first = json.putArray("first");
        for (Inventory.Item each : holding.first()) {
            first.addObject().put("name", each.name()).put("bytes", each.bytes());
        }
    }

    /** What is wrong must be seen among what is not. */
    private static String name(Status status) {
        return status == Status.FAIL ? "FAIL" : status.name().toLowerCase(Locale.ROOT);
    }
}
