// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The picture of docs/architecture.md, held: which part may use which, and which library stays where. */
class ArchitectureTest {
    private static final String ROOT = "org.talos.server";
    /** The picture: each room, and what it may use besides the rooms inside it and those that serve all. */
    private static final Map<String, List<String>> MAY_USE = Map.<String, List<String>>ofEntries(
            entry(
                    "boot",
                    List.of("cluster", "hadoop", "log", "metadata", "partition", "seam", "storage", "tls", "transfer")),
            entry("frontend", List.of("auth", "config.load", "service")),
            entry("boot.copy", List.of("boot", "storage")),
            entry("boot.doctor", List.of("boot", "cluster", "hadoop", "log", "metadata", "storage", "tls", "transfer")),
            entry("boot.recovery", List.of("auth", "boot", "hadoop", "metadata")),
            entry("boot.setup", List.of("boot", "hadoop", "metadata", "storage")),
            entry("http", List.of("auth", "service")),
            entry("http.body", List.of()),
            entry("http.client", List.of()),
            entry("http.console", List.of("auth", "http", "http.body", "http.rest.json", "service.call")),
            entry("http.connection", List.of()),
            entry("http.fairness", List.of()),
            entry("http.lent", List.of()),
            entry("http.management", List.of("http", "http.connection")),
            entry("http.rest", List.of("auth", "http", "http.body", "http.client", "http.fairness", "service")),
            entry(
                    "http.rest.admin",
                    List.of(
                            "auth",
                            "http.rest",
                            "http.rest.description",
                            "http.rest.json",
                            "http.rest.records",
                            "service")),
            entry("http.rest.description", List.of()),
            entry("http.rest.json", List.of("http.body", "http.rest.description")),
            entry("http.rest.records", List.of("http.rest.description")),
            entry(
                    "http.rest.resource",
                    List.of(
                            "auth",
                            "http",
                            "http.body",
                            "http.rest",
                            "http.rest.admin",
                            "http.rest.description",
                            "http.rest.json",
                            "http.rest.message",
                            "http.rest.records",
                            "http.rest.search",
                            "http.rest.stream",
                            "http.stream",
                            "service")),
            entry(
                    "http.rest.search",
                    List.of(
                            "auth",
                            "http",
                            "http.body",
                            "http.rest",
                            "http.rest.description",
                            "http.rest.json",
                            "http.rest.message",
                            "http.rest.records",
                            "http.rest.stream",
                            "service")),
            entry("http.rest.message", List.of("http", "http.body", "http.rest", "http.rest.json", "service")),
            entry("http.rest.stream", List.of("http.body", "http.fairness", "http.rest.json", "service.call")),
            entry(
                    "http.stream",
                    List.of(
                            "auth",
                            "http",
                            "http.body",
                            "http.fairness",
                            "http.rest",
                            "http.rest.description",
                            "http.rest.json",
                            "http.rest.message",
                            "http.rest.stream",
                            "http.stream.incoming",
                            "service")),
            entry("http.stream.incoming", List.of("http", "http.rest", "http.rest.json", "http.rest.message")),
            entry("http.thrift", List.of("auth", "http", "http.body", "service.call")),
            entry("http.tls", List.of("tls")),
            entry("http.unit", List.of("auth", "frontend", "http", "service")),
            entry("service", List.of("auth", "cluster", "dispatch", "log", "metadata", "partition", "storage")),
            entry(
                    "service.admin",
                    List.of("auth", "cluster", "config.load", "metadata", "partition.serving", "service.call")),
            entry("service.call", List.of("auth", "dispatch", "metadata", "partition.serving")),
            entry(
                    "service.group",
                    List.of(
                            "auth",
                            "cluster",
                            "log",
                            "metadata",
                            "partition.serving",
                            "service.call",
                            "service.list",
                            "service.message",
                            "storage")),
            entry(
                    "service.history",
                    List.of(
                            "auth",
                            "log",
                            "metadata",
                            "metrics.histogram",
                            "partition",
                            "partition.serving",
                            "service.call",
                            "service.group",
                            "storage")),
            entry("service.list", List.of()),
            entry(
                    "service.message",
                    List.of(
                            "auth",
                            "cluster",
                            "dispatch",
                            "log",
                            "metadata",
                            "partition.serving",
                            "service.call",
                            "storage")),
            entry("service.quota", List.of("auth", "metadata", "partition.serving", "service.call")),
            entry(
                    "service.topic",
                    List.of(
                            "auth",
                            "cluster",
                            "metadata",
                            "partition.serving",
                            "service.call",
                            "service.list",
                            "service.quota",
                            "storage")),
            entry(
                    "seam",
                    List.of(
                            "dispatch",
                            "service.call",
                            "storage",
                            "storage.hdfs",
                            "storage.journal",
                            "transfer.client")),
            entry("transfer", List.of()),
            entry(
                    "transfer.client",
                    List.of("cluster", "log", "partition.serving", "storage", "transfer.tls", "transfer.wire")),
            entry("transfer.server", List.of("log", "partition.serving", "storage", "transfer.tls", "transfer.wire")),
            entry("tls", List.of()),
            entry("transfer.tls", List.of("tls")),
            entry("transfer.wire", List.of("log", "partition.serving", "storage")),
            entry("transfer.wire.generated", List.of()),
            entry("partition", List.of("cluster", "log", "metadata", "storage")),
            entry("partition.serving", List.of("cluster", "dispatch", "log", "metadata", "partition", "storage")),
            entry("log", List.of("storage")),
            entry("log.checksum", List.of()),
            entry("log.dedupe", List.of()),
            entry("log.gap", List.of("storage")),
            entry("log.index", List.of("storage")),
            entry("log.time", List.of()),
            entry("auth", List.of("metadata")),
            entry("auth.quota", List.of("metadata")),
            entry("storage", List.of()),
            entry("storage.journal", List.of("storage")),
            entry("storage.local", List.of("storage", "storage.journal")),
            entry("storage.hdfs", List.of("hadoop", "storage", "storage.journal")),
            entry("storage.hdfs.client", List.of()),
            entry("storage.hdfs.inspection", List.of("hadoop")),
            entry("metadata", List.of()),
            entry("metadata.rows", List.of("metadata")),
            entry("metadata.rows.group", List.of("metadata", "metadata.rows")),
            entry("metadata.rows.partition", List.of("metadata", "metadata.rows")),
            entry("metadata.rows.quota", List.of("metadata", "metadata.rows")),
            entry("metadata.rows.topic", List.of("metadata", "metadata.rows")),
            entry("metadata.rows.user", List.of("metadata", "metadata.rows")),
            entry("metadata.cache", List.of("metadata", "metadata.rows")),
            entry("metadata.rocksdb", List.of("metadata")),
            entry("metadata.hbase", List.of("hadoop", "metadata")),
            entry("hadoop", List.of()),
            entry("cluster", List.of()),
            entry("cluster.assignment", List.of("cluster")),
            entry("cluster.single", List.of("cluster")),
            entry("cluster.zookeeper", List.of("cluster", "cluster.assignment", "cluster.zookeeper.access")),
            entry("cluster.zookeeper.access", List.of()),
            entry("dispatch", List.of()),
            entry("config", List.of()),
            entry("config.address", List.of()),
            entry("config.load", List.of("config")),
            entry("memory", List.of()),
            entry("metrics", List.of("metrics.histogram", "runtime")),
            entry("metrics.histogram", List.of("runtime")),
            entry("runtime", List.of()),
            entry("runtime.client", List.of()),
            entry("runtime.thread", List.of("runtime.time")),
            entry("runtime.time", List.of()),
            entry("tracing", List.of("config")));

    private static final Set<String> SERVE_ALL = Set.of(
            "config",
            "config.address",
            "memory",
            "metrics",
            "runtime",
            "runtime.client",
            "runtime.thread",
            "runtime.time",
            "tracing");
    private static final Map<String, List<String>> LIBRARY_STAYS_IN = Map.ofEntries(
            entry("org.eclipse.jetty", List.of("http")),
            entry("org.apache.curator", List.of("cluster.zookeeper")),
            entry("org.apache.zookeeper", List.of("cluster.zookeeper")),
            entry("io.netty", List.of("transfer")),
            entry("tlschannel", List.of("transfer")),
            entry("org.rocksdb", List.of("metadata.rocksdb")),
            entry("com.google.re2j", List.of("http.rest.search", "service.topic")),
            entry("org.apache.hadoop", List.of("hadoop", "storage.hdfs", "metadata.hbase")),
            entry("org.apache.hadoop.hbase", List.of("metadata.hbase")),
            entry("org.apache.hadoop.hdfs", List.of("storage.hdfs")),
            entry("com.codahale.metrics", List.of("metrics")),
            entry("org.HdrHistogram", List.of("metrics")),
            entry("io.opentelemetry", List.of("tracing")));
    private static final Path SOURCES = Path.of(System.getProperty("talos.root"), "talos-server/src/main/java");
    private static final Pattern THREADING = Pattern.compile("(Immutable|Thread-safe|Confined)[.:]?");

    /** Read once: it takes seconds. */
    private static final JavaClasses SERVER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    @Test
    void roomsUseOnlyWhatThePictureAllows() {
        Set<String> wrong = new TreeSet<>();
        for (JavaClass user : SERVER) {
            String room = roomOf(user);
            for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
                String used = roomOf(dependency.getTargetClass().getBaseComponentType());
                if (!allowed(room, used)) {
                    wrong.add(room + " uses " + used + ": " + dependency.getDescription());
                }
            }
        }

        assertThat(wrong).isEmpty();
    }

    @Test
    void everyRoomIsInThePicture() {
        Set<String> rooms = new TreeSet<>();
        SERVER.forEach(type -> rooms.add(roomOf(type)));
        rooms.remove("root");

        assertThat(rooms).isEqualTo(new TreeSet<>(MAY_USE.keySet()));
    }

    @Test
    void roomsFormNoCycle() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(SERVER);
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(SERVER);
    }

    @Test
    void besideTheRoomsStandsOnlyWhatStartsTheServer() {
        Set<String> beside = new TreeSet<>();
        SERVER.stream()
                .filter(type -> roomOf(type).equals("root") && type.isTopLevelClass())
                .forEach(type -> beside.add(type.getSimpleName()));

        assertThat(beside)
                .containsExactly(
                        "Main",
                        "PartitionAssembly",
                        "ServiceAssembly",
                        "StorageAssembly",
                        "TalosServer",
                        "package-info");
    }

    @Test
    void librariesStayBehindTheirPart() {
        Set<String> wrong = new TreeSet<>();
        for (JavaClass user : SERVER) {
            Set<String> used = user.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getPackageName() + ".")
                    .collect(Collectors.toSet());
            for (Map.Entry<String, List<String>> library : LIBRARY_STAYS_IN.entrySet()) {
                boolean inside = library.getValue().stream().anyMatch(part -> isIn(part, user));
                boolean uses = used.stream().anyMatch(each -> each.startsWith(library.getKey() + "."));
                if (uses && !inside) {
                    wrong.add(user.getName() + " uses " + library.getKey());
                }
            }
        }

        assertThat(wrong).isEmpty();
    }

    /** Bytes that are written from a buffer of Jetty's pool may go to another client: see LentBuffer. */
    @Test
    void nothingTakesBuffersOutOfAPoolOfJettys() {
        Set<String> wrong = new TreeSet<>();
        for (JavaClass user : SERVER) {
            for (JavaCodeUnitAccess<?> access : user.getCodeUnitAccessesFromSelf()) {
                JavaClass owner = access.getTargetOwner();
                boolean acquires = access.getName().equals("acquire")
                        && owner.isAssignableTo("org.eclipse.jetty.io.ByteBufferPool")
                        && !user.isAssignableTo("org.eclipse.jetty.io.ByteBufferPool"); // a pool of Jetty's, for Jetty
                boolean retains = owner.isAssignableTo("org.eclipse.jetty.io.RetainableByteBuffer")
                        && !owner.isAssignableTo("org.eclipse.jetty.io.Content$Chunk"); // of a body, which is only read
                if (acquires || retains) {
                    wrong.add(access.getDescription());
                }
            }
        }

        assertThat(wrong).isEmpty();
    }

    @Test
    void everyTopLevelClassSaysItsThreading() throws IOException {
        Set<String> silent = new TreeSet<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : (Iterable<Path>) files.filter(ArchitectureTest::isClassFile)::iterator) {
                String text = Files.readString(file);
                boolean stateful = Pattern.compile(
                                "^(public )?(final |abstract )?(class|record|interface) ", Pattern.MULTILINE)
                        .matcher(text)
                        .find();
                boolean exempt = text.contains("enum ") || text.contains("sealed interface");
                if (stateful && !exempt && !THREADING.matcher(text).find()) {
                    silent.add(SOURCES.relativize(file).toString());
                }
            }
        }

        assertThat(silent).isEmpty();
    }

    private static boolean isIn(String part, JavaClass type) {
        String packageName = ROOT + "." + part;
        return type.getPackageName().equals(packageName)
                || type.getPackageName().startsWith(packageName + ".");
    }

    private static boolean isClassFile(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".java") && !name.equals("package-info.java");
    }

    private static boolean allowed(String room, String used) {
        if (used.isEmpty() || used.equals(room) || room.equals("root") || isInside(used, room)) {
            return true;
        }
        if (SERVE_ALL.contains(used) && !SERVE_ALL.contains(room)) {
            return true;
        }
        return MAY_USE.getOrDefault(room, List.of()).stream()
                .anyMatch(part -> used.equals(part) || isInside(used, part));
    }

    /**
     * Returns whether a package is inside another: a part that joins others uses the packages inside it, never the
     * reverse.
     */
    private static boolean isInside(String inner, String outer) {
        return inner.startsWith(outer + ".");
    }

    private static String roomOf(JavaClass type) {
        String name = type.getPackageName();
        if (!name.startsWith(ROOT)) {
            return "";
        }
        return name.equals(ROOT) ? "root" : name.substring(ROOT.length() + 1);
    }
}
