// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.config.DispatchConfig.WorkerThreads;
import org.talos.server.config.Durability;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.ServerConfig.FrontEndsConfig;
import org.talos.server.config.StorageConfig;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.config.StorageConfig.MetadataIn;
import org.talos.server.config.WorkerCount;

class ConfigLoaderTest {
    @TempDir
    Path directory;

    @Test
    void commentedFileIsTheDefaults() throws Exception {
        ServerConfig commented =
                ConfigLoader.load(Path.of(System.getProperty("talos.root"), "conf/talos.yaml"), Map.of());

        assertThat(commented).isEqualTo(ConfigLoader.load(Map.of()));
        assertThat(commented.http().port()).isEqualTo(8080);
        assertThat(commented.log().durability()).isEqualTo(Durability.FSYNC);
    }

    @Test
    void exampleOfAClusterIsRight() throws Exception {
        ServerConfig example =
                ConfigLoader.load(Path.of(System.getProperty("talos.root"), "conf/talos-cluster.yaml"), Map.of());

        assertThat(example.storage()).isEqualTo(new StorageConfig(LogsIn.HDFS, MetadataIn.HBASE, 1L << 30));
        assertThat(example.kerberos().enabled()).isFalse();
    }

    @Test
    void everyKeyOfTheFileReachesAField() {
        List<String> fields = new ArrayList<>();
        fields(ServerConfig.class, "", fields);

        assertThat(ConfigLoader.defaults().keySet()).containsExactlyInAnyOrderElementsOf(fields);
    }

    @Test
    void workersAreVirtualOnlyWhereTheJdkHasThem() throws Exception {
        Map<String, String> virtual =
                Map.of("TALOS_DISPATCH_THREADS", "virtual", "TALOS_DISPATCH_GET_WORKERS", "10000");
        int jdk = Runtime.version().feature();
        if (jdk < 24) {
            assertThatThrownBy(() -> ConfigLoader.load(virtual))
                    .hasMessage(
                            "dispatch.threads: virtual (expected: platform or auto on JDK %s,"
                                    + " as virtual ones need 24 or newer)",
                            jdk);
        } else {
            assertThat(ConfigLoader.load(virtual).dispatch().threads()).isEqualTo(WorkerThreads.VIRTUAL);
        }
    }

    /** Keys whose other value does not follow from that of the defaults. */
    private static final Map<String, String> ODD_KEYS = Map.of(
            "http.trustedProxies",
            "10.0.0.7",
            "http.plainCredentialsFrom",
            "172.17.0.0/16",
            "http.corsOrigins",
            "https://a.org",
            "dispatch.threads",
            "platform",
            "transfer.tls.mode",
            "require",
            "zookeeper.sasl.mechanism",
            "digest",
            "tracing.enabled",
            "true",
            "log.clockRightSince",
            "2026-12-01T10:00:00Z");

    @Test
    void everyKeyCanBeGivenByTheEnvironment() throws Exception {
        Map<String, String> other = new TreeMap<>();
        for (Map.Entry<String, String> key : ConfigLoader.defaults().entrySet()) {
            String name = "TALOS_" + key.getKey().replace('.', '_').toUpperCase(java.util.Locale.ROOT);
            other.put(name, ODD_KEYS.getOrDefault(key.getKey(), otherThan(key.getKey(), key.getValue())));
        }
        other.put("TALOS_FRONTENDS_LINES_ENABLED", "true");

        ServerConfig changed = ConfigLoader.load(other);

        List<String> same = new ArrayList<>();
        compare(ConfigLoader.load(Map.of()), changed, "", same);
        assertThat(same).isEmpty();
    }

    @Test
    void autoIsSetAsLongAsNothingElseIs() throws Exception {
        ServerConfig config = ConfigLoader.load(Map.of("TALOS_DISPATCH_GET_WORKERS", "5"));

        assertThat(config.dispatch().put().workers()).isEqualTo(WorkerCount.AUTO);
        assertThat(config.dispatch().get().workers()).isEqualTo(WorkerCount.of(5));
        assertThat(config.dispatch().put().maxBatch()).isEqualTo(256);
        assertThat(EffectiveConfig.shown(config.dispatch().put())).containsEntry("workers", "auto");
    }

    @Test
    void environmentOverridesFileWhichOverridesDefaults() throws Exception {
        Path file = write("http:\n  port: 1\n  workers: 7\n");

        ServerConfig config = ConfigLoader.load(file, Map.of("TALOS_HTTP_PORT", "2"));

        assertThat(config.http().port()).isEqualTo(2);
        assertThat(config.http().workers()).isEqualTo(7);
        assertThat(config.http().idleTimeout()).isEqualTo(Duration.ofMinutes(2));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http: {prot: 1} | unknown key http.prot",
                "tracing: {enabled: maybe} | tracing.enabled: maybe (expected: auto or true or false)",
                "nonsense: 1 | unknown key nonsense",
                "http: {port: 70000} | http.port: 70000 (expected: 0..65535)",
                "http: {port: many} | http.port: many (expected: a whole number)",
                "http: {idleTimeout: 10} | http.idleTimeout: 10 (expected: a duration",
                "http: {corsOrigins: '*'} | http.corsOrigins: * (expected: origins as a browser names them",
                "http: {corsOrigins: 'null'} | http.corsOrigins: null (expected",
                "http: {corsOrigins: 'https://a.org, https://b.org/'} | http.corsOrigins: https://b.org/ (expected",
                "http: {corsOrigins: 'https://A.org'} | http.corsOrigins: https://A.org (expected",
                "http: {corsOrigins: 'https://a.org:443'} | http.corsOrigins: https://a.org:443 (expected",
                "http: {corsOrigins: 'ftp://a.org'} | http.corsOrigins: ftp://a.org (expected",
                "http: {trustedProxies: 'proxy.example.org'} | http.trustedProxies: proxy.example.org (expected: addresses",
                "http: {trustedProxies: '10.0.0.7, 10.0.0.1/8'} | http.trustedProxies: 10.0.0.1/8 (expected",
                "http: {trustedProxies: '::/0'} | http.trustedProxies: a network of all addresses (expected: proxies",
                "http: {proxyProtocol: true} | http.proxyProtocol: true (expected: http.trustedProxies",
                "http: {plainCredentialsFrom: 172.17.0.0/33} | http.plainCredentialsFrom: 172.17.0.0/33 (expected",
                "http: {limits: {waitingPerUser: 0}} | http.limits.waitingPerUser: 0 (expected: 1..1000000)",
                "frontEnds: {lines: 1} | frontEnds.lines: 1 (expected: keys such as frontEnds.lines.enabled)",
                "frontEnds: {Lines: {port: 1}} | frontEnds: Lines (expected: names of front ends",
                "frontEnds: {lines: {enabled: 1}} | frontEnds.lines.enabled: 1 (expected: true or false)",
                "frontEnds: {lines: {port: 1, Port: 2}} | frontEnds.lines.port: given twice (expected: one value)",
                "auth: {maxStreamTokenAge: 0s} | auth.maxStreamTokenAge: PT0S (expected: PT1S..PT24H)",
                "http: {maxBodyBytes: 24MB} | http.maxBodyBytes: 24MB (expected: a size",
                "dispatch: {put: {workers: 0}} | dispatch.put.workers: 0 (expected: auto or 1..100000)",
                "dispatch: {get: {workers: some}} | dispatch.get.workers: some (expected: auto or 1..100000)",
                "dispatch: {get: {workers: 1025}} | dispatch.get.workers: 1025 (expected: auto or 1..1024)",
                "log: {durability: maybe} | log.durability: maybe (expected: fsync or flush)",
                "service: {checkBlocks: 1} | service.checkBlocks: 1 (expected: true or false)",
                "storage: {logs: s3} | storage.logs: s3 (expected: local or hdfs)",
                "storage: {metadata: mysql} | storage.metadata: mysql (expected: rocksdb or hbase)",
                "storage: {logs: hdfs} | hdfs.configDirectory: blank (expected: a value)",
                "storage: {metadata: hbase} | hbase.configDirectory: blank (expected: a value)",
                "hdfs: {root: talos} | hdfs.root: talos (expected: a path such as /talos, or a URI",
                "hdfs: {journals: 0} | hdfs.journals: 0 (expected: 1..64)",
                "hdfs: {replication: 0} | hdfs.replication: 0 (expected: 1..512)",
                "hdfs: {blockBytes: 1KiB} | hdfs.blockBytes: 1024 (expected: 65536..",
                "hdfs: {blockBytes: 100000} | hdfs.blockBytes: 100000 (expected: a multiple of 512)",
                "hdfs: {timeout: 0s} | hdfs.timeout: PT0S (expected: PT1S..PT10M)",
                "hdfs: {recoveriesAtOnce: 0} | hdfs.recoveriesAtOnce: 0 (expected: 1..1024)",
                "hbase: {table: a/b} | hbase.table: a/b (expected: a table's name",
                "hbase: {cacheAge: 1ms} | hbase.cacheAge: PT0.001S (expected: PT1S..PT1H)",
                "cluster: {coordination: zookeeper} | zookeeper.connect: blank (expected: a value)",
                "cluster: {coordination: etcd} | cluster.coordination: etcd (expected: single or zookeeper)",
                "cluster: {serverId: a/b} | cluster.serverId: a/b (expected: letters",
                "cluster: {delayRemoved: 2h} | cluster.delayRemoved: PT2H (expected: PT0S..PT1H)",
                "zookeeper: {root: talos} | zookeeper.root: talos (expected: a path such as /talos)",
                "zookeeper: {sessionTimeout: 1ms} | zookeeper.sessionTimeout: PT0.001S (expected: PT1S..PT5M)",
                "zookeeper: {sasl: {mechanism: plain}} | zookeeper.sasl.mechanism: plain (expected: none or digest or",
                "zookeeper: {sasl: {mechanism: digest}} | zookeeper.sasl.passwordFile: blank (expected: a value)",
                "zookeeper: {sasl: {mechanism: kerberos}} | zookeeper.sasl.principal: blank (expected: a value)",
                "zookeeper: {sasl: {access: all}} | zookeeper.sasl.access: all (expected: private or readable or open",
                "{cluster: {coordination: zookeeper}, zookeeper: {connect: a:1}} | transfer.keyFile: blank (expected",
                "{cluster: {coordination: zookeeper}, zookeeper: {connect: a:1}, transfer: {keyFile: k, maxFrameBytes:"
                        + " 24MiB}} | transfer.maxFrameBytes: 25165824 (expected: 26214400..",
                "{cluster: {coordination: zookeeper}, zookeeper: {connect: a:1}, transfer: {keyFile: k}, service:"
                        + " {maxGetBytes: 32MiB}} | transfer.maxFrameBytes: 33554432 (expected: 34603008..",
                "{http: {maxRequestMemoryBytes: 256MiB}, service: {maxGetBytes: 257MiB}} | service.maxGetBytes: 269484032 (expected: 1024..268435456)",
                "{service: {memberTtl: 1s}, cluster: {coordination: zookeeper, maxClockDifference: 1d}} |"
                        + " cluster.maxClockDifference: PT24H (expected: at most service.memberTtl, PT1S; lower",
                "dispatch: {policy: affinity} | dispatch.policy was removed: delete this line",
                "http: {dispatch: async} | http.dispatch was removed: delete this line",
                "hdfs: {form: pipeline} | hdfs.form was removed: delete this line",
                "transfer: {pools: perHost} | transfer.pools was removed: delete this line",
                "transfer: {tls: {mode: require}} | transfer.tls.certificateFile: blank (expected: a value)",
                "transfer: {tls: {mode: off}} | transfer.tls.mode: false (expected: none or accept or require)",
                "transfer: {threadsPerHost: 50} | transfer.threadsPerHost was removed: delete this line",
                "service: {workerTtl: 30s} | service.workerTtl was renamed: write service.memberTtl",
                "transfer: {queuePerHost: 0} | transfer.queuePerHost: 0 (expected: 1..1000000)",
                "transfer: {maxFrameBytes: 1KiB} | transfer.maxFrameBytes: 1024 (expected: 65536..",
                "transfer: {maxMemoryBytes: 1MiB} | transfer.maxMemoryBytes: 1048576 (expected: 33554432..",
                "hbase: {timeout: 1ms} | hbase.timeout: PT0.001S (expected: PT0.1S..PT10M)",
                "kerberos: {principal: talos} | kerberos.keytab:  (expected: both, or neither)",
                "http: [1] | http: [1] (expected: keys with one value each)",
                "http: {port: 1, port: 2} | Duplicate field 'port'",
            })
    void refusesWhatIsWrongAndSaysWhere(String yaml, String message) throws Exception {
        Path file = write(yaml);

        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @Test
    void refusesEnvironmentNamesOfEarlierKeys() {
        assertThatThrownBy(() -> ConfigLoader.load(Map.of("TALOS_TRANSFER_POOLS", "multiplexed")))
                .hasMessage("environment: TALOS_TRANSFER_POOLS was removed: unset it");
        assertThatThrownBy(() -> ConfigLoader.load(Map.of("TALOS_SERVICE_WORKERTTL", "30s")))
                .hasMessage("environment: TALOS_SERVICE_WORKERTTL was renamed: set TALOS_SERVICE_MEMBERTTL");
    }

    @Test
    void durationsHaveTheUnitsOfTheCommandLineToo() throws Exception {
        assertThat(ConfigLoader.load(Map.of("TALOS_METRICSLOGINTERVAL", "1h30m"))
                        .metricsLogInterval())
                .isEqualTo(Duration.ofMinutes(90));
        assertThat(ConfigLoader.load(Map.of("TALOS_METRICSLOGINTERVAL", "250ms"))
                        .metricsLogInterval())
                .isEqualTo(Duration.ofMillis(250));
    }

    @Test
    void refusesEnvironmentNamesOfASectionThatAreNoKeys() {
        assertThatThrownBy(() -> ConfigLoader.load(Map.of("TALOS_HTTP_PROT", "1")))
                .hasMessage("environment: unknown key TALOS_HTTP_PROT");
    }

    @Test
    void settingsOfAFrontEndComeFromTheFileAndTheEnvironment() throws Exception {
        Path file = write("frontEnds:\n  lines: {enabled: true, maxLength: 5, tls: {keyStore: a}}\n");

        Map<String, String> environment =
                Map.of("TALOS_FRONTENDS_LINES_MAXLENGTH", "6", "TALOS_FRONTENDS_LINES_TLS_PASSWORD", "hidden");

        ServerConfig loaded = ConfigLoader.load(file, environment);

        FrontEndsConfig config = loaded.frontEnds();

        assertThat(config.isEnabled("lines")).isTrue();
        assertThat(config.settings("lines"))
                .containsOnlyKeys("maxLength", "tls.keyStore", "tls.password")
                .containsEntry("maxLength", "6");
        assertThat(config.settings("lines").get("MAXLENGTH")).isEqualTo("6");
        assertThat(config.toString()).doesNotContain("hidden");
    }

    @Test
    void noFrontEndIsOnUnlessItIsEnabled() throws Exception {
        assertThat(ConfigLoader.load(Map.of()).frontEnds().names()).isEmpty();

        ServerConfig loaded = ConfigLoader.load(Map.of("TALOS_FRONTENDS_LINES_PORT", "7000"));

        FrontEndsConfig config = loaded.frontEnds();
        assertThat(config.names()).containsExactly("lines");
        assertThat(config.isEnabled("lines")).isFalse();
    }

    @Test
    void secretsOfFrontEndsAreMasked() throws Exception {
        ServerConfig config = ConfigLoader.load(
                Map.of("TALOS_FRONTENDS_LINES_PORT", "7000", "TALOS_FRONTENDS_LINES_PASSWORD", "hidden"));

        assertThat(EffectiveConfig.shown(config))
                .containsEntry(
                        "frontEnds", Map.of("lines", Map.of("enabled", "false", "port", "7000", "password", "***")));
    }

    @Test
    void settingsSayWhichAreNotTheDefault() throws Exception {
        ServerConfig config = ConfigLoader.load(Map.of(
                "TALOS_HTTP_PORT", "9090", "TALOS_FRONTENDS_LINES_PASSWORD", "x", "TALOS_FRONTENDS_LINES_APIKEY", "y"));

        List<EffectiveConfig.Setting> settings = EffectiveConfig.settings(config);

        assertThat(settings)
                .contains(
                        new EffectiveConfig.Setting("http.port", "9090", "8080"),
                        new EffectiveConfig.Setting("console.enabled", "true", "true"),
                        new EffectiveConfig.Setting("frontEnds.lines.password", "***", ""),
                        new EffectiveConfig.Setting("frontEnds.lines.apikey", "***", ""));
        assertThat(settings)
                .filteredOn(EffectiveConfig.Setting::isChanged)
                .extracting(EffectiveConfig.Setting::key)
                .containsExactlyInAnyOrder(
                        "http.port", "frontEnds.lines.enabled", "frontEnds.lines.password", "frontEnds.lines.apikey");
    }

    @Test
    void formOfTheLogThatThereIsNotIsRefused() {
        assertThatThrownBy(() -> ConfigLoader.load(Map.of("TALOS_LOGFORMAT", "xml")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("TALOS_LOGFORMAT: xml (expected: plain or json)");
    }

    @Test
    void variablesOfKubernetesServicesAreNoSettings() throws Exception {
        Map<String, String> environment = new TreeMap<>();
        for (String service : List.of("TALOS", "TALOS_HTTP", "TALOS_SERVICE", "TALOS_MANAGEMENT_EXTRA")) {
            environment.put(service + "_SERVICE_HOST", "10.96.0.12");
            environment.put(service + "_SERVICE_PORT", "8080");
            environment.put(service + "_SERVICE_PORT_HTTP", "8080");
            environment.put(service + "_PORT", "tcp://10.96.0.12:8080");
            environment.put(service + "_PORT_8080_TCP", "tcp://10.96.0.12:8080");
            environment.put(service + "_PORT_8080_TCP_PROTO", "tcp");
            environment.put(service + "_PORT_8080_TCP_PORT", "8080");
            environment.put(service + "_PORT_8080_TCP_ADDR", "10.96.0.12");
        }
        environment.put("TALOS_SERVICE_MEMBERTTL", "31s");

        ServerConfig config = ConfigLoader.load(environment);

        assertThat(config.http().port()).isEqualTo(8080);
        assertThat(config.service().memberTtl()).isEqualTo(Duration.ofSeconds(31));
    }

    @ParameterizedTest
    @CsvSource({"TALOS_SERVICE_HOST", "TALOS_SERVICE_PORT", "TALOS_HTTP_SERVICE_HOST", "TALOS_HTTP_PORT_80_TCP"})
    void refusesUnknownKeysThatOnlyLookLikeThoseOfAService(String name) {
        assertThatThrownBy(() -> ConfigLoader.load(Map.of(name, "1"))).hasMessage("environment: unknown key " + name);
    }

    @Test
    void ownPortCountsBesideAServiceOfThatName() throws Exception {
        ServerConfig config = ConfigLoader.load(Map.of(
                "TALOS_HTTP_SERVICE_HOST", "10.96.0.12", "TALOS_HTTP_SERVICE_PORT", "1", "TALOS_HTTP_PORT", "2"));

        assertThat(config.http().port()).isEqualTo(2);
    }

    @Test
    void leavesOtherEnvironmentNamesToTheCommandLine() throws Exception {
        assertThat(ConfigLoader.load(Map.of("TALOS_ENDPOINT", "http://127.0.0.1:1")))
                .isEqualTo(ConfigLoader.load(Map.of()));
    }

    @Test
    void textHasNoPassword() throws Exception {
        ServerConfig config = ConfigLoader.load(
                Map.of("TALOS_HTTP_TLS_KEYSTORE", "store.p12", "TALOS_HTTP_TLS_KEYSTOREPASSWORD", "hidden"));

        assertThat(config.http().tls().keyStorePassword()).isEqualTo("hidden");
        assertThat(config.toString()).contains("store.p12").doesNotContain("hidden");
    }

    @Test
    void addressSaysWhetherItIsUnderTls() throws Exception {
        assertThat(ConfigLoader.load(Map.of()).http().address(8)).isEqualTo("http://127.0.0.1:8");
        assertThat(ConfigLoader.load(Map.of("TALOS_HTTP_TLS_KEYSTORE", "store.p12"))
                        .http()
                        .address(8))
                .isEqualTo("https://127.0.0.1:8");
    }

    @Test
    void missingFileIsNamed() {
        assertThatThrownBy(() -> ConfigLoader.load(directory.resolve("none.yaml"), Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cannot be read");
    }

    private Path write(String yaml) throws IOException {
        return Files.writeString(directory.resolve("talos.yaml"), yaml);
    }

    private static void fields(Class<?> type, String path, List<String> fields) {
        for (var component : type.getRecordComponents()) {
            String name = path.isEmpty() ? component.getName() : path + "." + component.getName();
            if (component.getType().isRecord()) {
                fields(component.getType(), name, fields);
            } else if (component.getType() != FrontEndsConfig.class) { // its keys are those of each front end
                fields.add(name);
            }
        }
    }

    private static String otherThan(String key, String value) {
        return switch (value) {
            case "fsync" -> "flush";
            case "local" -> "hdfs";
            case "single" -> "zookeeper";
            case "private" -> "readable";
            case "rocksdb" -> "hbase";
            case "false" -> "true";
            case "true" -> "false";
            case "0" -> "1";
            case "1" -> "2";
            case "256MiB" -> "257MiB";
            case "128MiB" -> "129MiB";
            case "24MiB" -> "25MiB";
            case "1MiB" -> "2MiB";
            case "2000" -> "2001";
            case "auto" -> key.contains("Bytes") ? "999MiB" : "99";
            default -> value.matches("\\d.*") ? "1" + value : value + "x";
        };
    }

    private static void compare(Object one, Object other, String path, List<String> same) throws Exception {
        for (var component : one.getClass().getRecordComponents()) {
            Object left = component.getAccessor().invoke(one);
            Object right = component.getAccessor().invoke(other);
            if (component.getType().isRecord()) {
                compare(left, right, path + component.getName() + ".", same);
            } else if (left.equals(right)) {
                same.add(path + component.getName());
            }
        }
    }

    @Test
    void timeFromWhichOnTheClockIsRightHasItsForm() throws Exception {
        String key = "TALOS_LOG_CLOCKRIGHTSINCE";

        assertThat(ConfigLoader.load(Map.of()).log().clockRight()).isEmpty();
        assertThat(ConfigLoader.load(Map.of(key, "2026-12-01T10:00:00Z")).log().clockRight())
                .contains(Instant.ofEpochSecond(1_796_119_200));
        assertThatThrownBy(() -> ConfigLoader.load(Map.of(key, "yesterday")))
                .hasMessage("log.clockRightSince: yesterday (expected: a time in UTC such as 2026-12-01T10:00:00Z)");
    }
}
