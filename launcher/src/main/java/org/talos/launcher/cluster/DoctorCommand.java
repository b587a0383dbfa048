// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Output;
import org.talos.cli.Progress;
import org.talos.cli.Units;
import org.talos.cli.Waiting;
import org.talos.server.boot.doctor.Doctor;
import org.talos.server.boot.doctor.LocalDoctor;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.hadoop.Inventory;
import org.talos.server.hadoop.ReportLine;
import org.talos.server.hadoop.ReportLine.Status;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Checks whether a server could work with the stores of a configuration, and lists their contents.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "doctor",
        description =
                "Look at the stores that a configuration names, without a server: reached, versions, permissions, "
                        + "copies, clocks; then the files and the rows that they hold. Nothing is changed but a file "
                        + "of its own. With --local: at the data directory of a server that does not run, part by "
                        + "part; nothing is changed.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:a server can work so, all that is looked at is whole",
            "1:it cannot: see the lines with FAIL",
            "2:wrong usage"
        })
public final class DoctorCommand implements Callable<Integer> {
    private final CommandContext context;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The servers' configuration; the environment goes over it. Not needed with --local")
    private Optional<Path> file = Optional.empty();

    @Option(names = "--local", description = "Look at the files of a data directory")
    private boolean local;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The data directory, with --local. Default: that of the configuration, else of a server here")
    private Optional<Path> data = Optional.empty();

    @Option(
            names = "--full",
            description =
                    "With --local: read all entries, also if that is more than 1 GiB, and compare their checksums")
    private boolean full;

    @Mixin
    private Output output = new Output();

    @Option(names = "--show", paramLabel = "N", description = "Files and rows to tell by name, each. Default: 20")
    private int shown = 20;

    /** Creates the command. */
    public DoctorCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException, CommandException {
        if (!local && (file.isEmpty() || data.isPresent() || full)) {
            throw new ParameterException(
                    spec.commandLine(), "doctor needs --config FILE, or --local; --data and --full go with --local");
        }
        Doctor.Diagnosis diagnosis = local ? ofFiles() : ofStores();
        output.print(context, document(diagnosis), text(diagnosis, output.isForPeople(context)));
        return diagnosis.healthy() ? 0 : 1;
    }

    private Doctor.Diagnosis ofFiles() throws CommandException {
        ServerConfig configuration = configuration();
        try (Progress progress = output.json()
                ? Progress.silent()
                : new Progress(context, spec.commandLine().getErr(), "doctor", Progress.Unit.BYTES, 0)) {
            return LocalDoctor.examine(configuration, new LocalDoctor.SegmentReading(full, progress::at), shown);
        }
    }

    private Doctor.Diagnosis ofStores() throws CommandException {
        ServerConfig configuration = configuration();
        return Waiting.during(
                context.unwatchedIf(output.json()),
                spec.commandLine().getErr(),
                "doctor",
                () -> Doctor.examine(configuration, shown));
    }

    private ServerConfig configuration() throws CommandException {
        Map<String, String> environment = new HashMap<>(context.environment());
        if (local && (data.isPresent() || file.isEmpty())) {
            environment.put(
                    "TALOS_DATADIRECTORY", data.orElse(context.dataDirectory()).toString());
        }
        try {
            return file.isPresent() ? ConfigLoader.load(file.get(), environment) : ConfigLoader.load(environment);
        } catch (ConfigException e) {
            throw new CommandException(String.valueOf(e.getMessage()), e);
        }
    }

    private static List<String> text(Doctor.Diagnosis diagnosis, boolean people) {
        List<String> lines = new ArrayList<>();
        for (ReportLine each : diagnosis.results()) {
            lines.add(String.format(Locale.ROOT, "%-4s  %-10s  %s", name(each.status()), each.what(), each.detail()));
            if (!each.hint().isEmpty()) {
                lines.add("                  -> " + each.hint());
            }
        }
        diagnosis.inventories().forEach(inventory -> add(inventory, lines, people));
        return lines;
    }

    private static void add(Inventory inventory, List<String> lines, boolean people) {
        lines.add("");
        lines.add(inventory.what() + ": " + inventory.count() + (inventory.isTruncated() ? " and more" : ""));
        inventory.first().forEach(each -> lines.add("  " + each.line()));
        if (inventory.count() > inventory.first().size()) {
            lines.add("  …");
        }
        new TreeMap<>(inventory.totals())
                .forEach((kind, total) -> lines.add(String.format(
                        Locale.ROOT,
                        "  %-16s %10d  %s",
                        kind,
                        total.count(),
                        people
                                ? Units.bytes(total.bytes())
                                : String.format(Locale.ROOT, "%15d bytes", total.bytes()))));
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

    /** Marks failures, which must stand out. */
    private static String name(Status status) {
        return status == Status.FAIL ? "FAIL" : status.name().toLowerCase(Locale.ROOT);
    }
}
