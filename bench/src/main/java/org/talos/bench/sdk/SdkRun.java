// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.talos.bench.client.LoadSettings;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.tls.ServerKey;
import org.talos.launcher.local.Folders;
import org.talos.launcher.local.SpawnedServer;
import org.talos.server.Main;

/**
 * Measures one library in one case: starts its server and its client, each a process, and ends both.
 *
 * <p>Confined: the main thread.
 */
final class SdkRun {
    /** Names, as nothing of Kafka's can be loaded here. */
    private static final String KAFKA_SERVER = "org.talos.bench.kafka.KafkaBroker";

    private static final String KAFKA_CLIENT = "org.talos.bench.kafka.KafkaLoad";

    private final SdkSettings settings;
    private final Path reports;

    SdkRun(SdkSettings settings, Path reports) {
        this.settings = settings;
        this.reports = reports;
    }

    SdkFigures measure(ClientLibrary library, SdkCase what, int round) throws IOException, InterruptedException {
        String name = String.format(Locale.ROOT, "%s-%d-%d-%d", library.label(), what.threads(), what.size(), round);
        Path serverLog = reports.resolve(name + "-server.log");
        Path clientLog = reports.resolve(name + "-client.log");
        return switch (library) {
            case TALOS -> talos(what, round, Optional.empty(), serverLog, clientLog);
            case TALOS_TLS -> {
                Files.createDirectories(settings.work());
                try (ServerKey key = ServerKey.make(settings.work())) {
                    yield talos(what, round, Optional.of(key), serverLog, clientLog);
                }
            }
            case KAFKA -> kafka(what, round, serverLog, clientLog);
        };
    }

    private SdkFigures talos(SdkCase what, int round, Optional<ServerKey> key, Path serverLog, Path clientLog)
            throws IOException, InterruptedException {
        Map<String, String> environment = new HashMap<>(Map.of("LOG_DURABILITY", SdkSettings.DURABILITY));
        key.ifPresent(tls -> environment.putAll(tls.settings()));
        try (MeasuredServer server =
                MeasuredServer.start(Main.class, SdkSettings.JVM, environment, settings.work(), serverLog)) {
            List<String> program =
                    program(TalosLoad.class.getName(), server.uri().toString(), server.pid(), what);
            program.add(server.credentials().toString());
            return new SdkFigures(
                    key.isPresent() ? ClientLibrary.TALOS_TLS : ClientLibrary.TALOS,
                    what,
                    round,
                    ClientProcess.run(
                            System.getProperty("java.class.path"),
                            key.map(ServerKey::clientJvm).orElse(List.of()),
                            program,
                            clientLog));
        }
    }

    private SdkFigures kafka(SdkCase what, int round, Path serverLog, Path clientLog)
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
            return new SdkFigures(
                    ClientLibrary.KAFKA, what, round, ClientProcess.run(classPath, List.of(), program, clientLog));
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
