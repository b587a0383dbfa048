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
        Doctor.Diagnosis diagnosis = Doctor.examine(settings.read(surroundings), shown);
        output.print(surroundings, document(diagnosis), text(diagnosis));
        return diagnosis.healthy() ? 0 : 1;
    }

    private static List<String> text(Doctor.Diagnosis diagnosis) {
        List<String> lines = new ArrayList<>();
        for (ReportLine each : diagnosis.results()) {
            lines.add("%-4s  %-10s  %s".formatted(name(each.status()), each.what(), each.detail()));
            if (!each.hint().isEmpty()) {
                lines.add("                  -> " + each.hint());
            }
        }
        diagnosis.inventories().forEach(inventory -> add(inventory, lines));
        return lines;
    }

    private static void add(Inventory inventory, List<String> lines) {
        lines.add("");
        lines.add(inventory.what() + ": " + inventory.count() + (inventory.isTruncated() ? " and more" : ""));
        inventory.first().forEach(each -> lines.add("  " + each.line()));
        if (inventory.count() > inventory.first().size()) {
            lines.add("  …");
        }
        new TreeMap<>(inventory.totals())
                .forEach((kind, total) ->
                        lines.add("  %-16s %10d  %15d bytes".formatted(kind, total.count(), total.bytes())));
    }

    private static ObjectNode document(Doctor.Diagnosis diagnosis) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("healthy", diagnosis.healthy());
        ArrayNode results = json.putArray("findings");
        for (ReportLine each : diagnosis.results()) {
            results.addObject()
                    .put("status", name(each.status()))
                    .put("what", each.what())
                    .put("detail", each.detail())
                    .put("hint", each.hint());
        }
        ArrayNode inventories = json.putArray("holdings");
        diagnosis.inventories().forEach(each -> add(each, inventories.addObject()));
        return json;
    }

    private static void add(Inventory inventory, ObjectNode json) {
        json.put("what", inventory.what()).put("count", inventory.count()).put("complete", !inventory.isTruncated());
        ObjectNode totals = json.putObject("totals");
        new TreeMap<>(inventory.totals())
                .forEach((kind, total) ->
                        totals.putObject(kind).put("count", total.count()).put("bytes", total.bytes()));
        ArrayNode first = json.putArray("first");
        for (Inventory.Item each : inventory.first()) {
            first.addObject().put("name", each.name()).put("bytes", each.bytes());
        }
    }

    /** What is wrong must be seen among what is not. */
    private static String name(Status status) {
        return status == Status.FAIL ? "FAIL" : status.name().toLowerCase(Locale.ROOT);
    }
}
