// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import static org.talos.bench.report.Text.format;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.client.LoadPhase;
import org.talos.bench.client.LoadSettings;
import org.talos.bench.engine.Experiment;
import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.report.Claim;
import org.talos.bench.report.Measure;
import org.talos.bench.tls.ServerKey;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.SpawnedServer;
import org.talos.server.Main;

/**
 * Measures each library in each case: starts its server and its client, each a process, and ends both.
 *
 * <p>Confined: the main thread.
 */
final class SdkExperiment implements Experiment<SdkExperiment.Measured> {
    private static final String CLIENT_CPU = "client CPU s/1000";
    private static final String SERVER_CPU = "server CPU s/1000";
    /** The least share of its rate without TLS that the SDK reaches with TLS. */
    private static final double UNDER_TLS = 0.7;

    /** Names, as nothing of Kafka's can be loaded here. */
    private static final String KAFKA_SERVER = "org.talos.bench.kafka.KafkaBroker";

    private static final String KAFKA_CLIENT = "org.talos.bench.kafka.KafkaLoad";

    private final SdkSettings settings;
    private final Path reports;

    SdkExperiment(SdkSettings settings, Path reports) {
        this.settings = settings;
        this.reports = reports;
    }

    /** A library in a case. Immutable. */
    record Measured(SdkCase what, ClientLibrary library) {
        String label() {
            return library.label() + ", " + what.label();
        }
    }

    @Override
    public List<Measured> cases(int round) {
        return settings.cases().stream()
                .flatMap(what -> settings.libraries().stream().map(each -> new Measured(what, each)))
                .toList();
    }

    @Override
    public List<Measure> measure(Measured measured, int round) throws IOException, InterruptedException {
        return phases(measured.library, measured.what, round).stream()
                .map(each -> measure(measured, round, each))
                .toList();
    }

    private static Measure measure(Measured measured, int round, LoadPhase phase) {
        long messages = phase.latency().getTotalCount();
        SortedMap<String, Double> figures = new TreeMap<>();
        figures.put(CLIENT_CPU, seconds(phase.clientCpu()) * 1_000 / messages);
        figures.put(SERVER_CPU, seconds(phase.serverCpu()) * 1_000 / messages);
        return new Measure(
                measured.label(),
                round,
                phase.operation(),
                phase.latency(),
                seconds(phase.took()),
                messages,
                0,
                figures);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    @Override
    public String line(Measured one, List<Measure> measured) {
        return format(
                "%-9s %-20s %8.0f puts/s, %8.0f gets/s",
                one.library.label(),
                one.what.label(),
                measured.get(0).perSecond(),
                measured.get(1).perSecond());
    }

    /** Returns the claims of each case; none if Talos is compared with nothing. */
    @Override
    public List<Claim> claims(Results results) {
        List<Claim> claims = new ArrayList<>();
        for (SdkCase what : settings.cases()) {
            String talos = new Measured(what, ClientLibrary.TALOS).label();
            String kafka = new Measured(what, ClientLibrary.KAFKA).label();
            String tls = new Measured(what, ClientLibrary.TALOS_TLS).label();
            for (String operation : List.of(LoadPhase.PUT, LoadPhase.GET)) {
                String which = what.label() + ", " + operation + ", ";
                Figure rate = Results.figure(operation, Measure::perSecond);
                Figure cpu = Results.figure(operation, each -> each.figure(CLIENT_CPU) + each.figure(SERVER_CPU));
                results.atLeast("talos : kafka, " + which + "messages a second", talos, kafka, rate, 1)
                        .ifPresent(claims::add);
                results.atMost("talos : kafka, " + which + "CPU of client and server a message", talos, kafka, cpu, 1)
                        .ifPresent(claims::add);
                results.atLeast("with TLS : without, " + which + "messages a second", tls, talos, rate, UNDER_TLS)
                        .ifPresent(claims::add);
            }
        }
        return claims;
    }

    private List<LoadPhase> phases(ClientLibrary library, SdkCase what, int round)
            throws IOException, InterruptedException {
        String name = format("%s-%d-%d-%d", library.label(), what.threads(), what.size(), round);
        Path serverLog = reports.resolve(name + "-server.log");
        Path clientLog = reports.resolve(name + "-client.log");
        return switch (library) {
            case TALOS -> talos(what, Optional.empty(), serverLog, clientLog);
            case TALOS_TLS -> {
                Files.createDirectories(settings.work());
                try (ServerKey key = ServerKey.make(settings.work())) {
                    yield talos(what, Optional.of(key), serverLog, clientLog);
                }
            }
            case KAFKA -> kafka(what, serverLog, clientLog);
        };
    }

    private List<LoadPhase> talos(SdkCase what, Optional<ServerKey> key, Path serverLog, Path clientLog)
            throws IOException, InterruptedException {
        Map<String, String> environment = new HashMap<>(Map.of("LOG_DURABILITY", SdkSettings.DURABILITY));
        key.ifPresent(tls -> environment.putAll(tls.settings()));
        try (MeasuredServer server =
                MeasuredServer.start(Main.class, SdkSettings.JVM, environment, settings.work(), serverLog)) {
            List<String> program =
                    program(TalosLoad.class.getName(), server.uri().toString(), server.pid(), what);
            program.add(server.credentials().toString());
            return ClientProcess.run(
                    System.getProperty("java.class.path"),
                    key.map(ServerKey::clientJvm).orElse(List.of()),
                    program,
                    clientLog);
        }
    }

    private List<LoadPhase> kafka(SdkCase what, Path serverLog, Path clientLog)
            throws IOException, InterruptedException {
        Path jars = settings.kafkaJars().orElseThrow();
        String classPath =
                jars + File.separator + "*" + File.pathSeparator + jars.resolve("lib") + File.separator + "*";
        Files.createDirectories(settings.work());
        Path data = Files.createTempDirectory(settings.work(), "kafka-");
        try (SpawnedServer server =
                SpawnedServer.start(classPath, List.of(KAFKA_SERVER, data.toString()), SdkSettings.JVM, serverLog)) {
            List<String> program = program(KAFKA_CLIENT, server.uri().getAuthority(), server.pid(), what);
            settings.kafka().forEach((key, value) -> program.add(key + "=" + value));
            return ClientProcess.run(classPath, List.of(), program, clientLog);
        } finally {
            Folders.delete(data);
        }
    }

    private List<String> program(String mainClass, String server, long pid, SdkCase what) {
        List<String> program = new ArrayList<>(List.of(mainClass));
        program.addAll(new LoadSettings(
                        server, pid, what.threads(), SdkSettings.PARTITIONS, what.size(), settings.messages(what))
                .arguments());
        return program;
    }
}
