// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewCredential;
import picocli.CommandLine;

class ProfilesTest {
    @TempDir
    Path directory;

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void home() throws Exception {
        environment.put("XDG_CONFIG_HOME", directory.resolve("config").toString());
        Files.createDirectories(directory.resolve("data"));
        Files.writeString(directory.resolve("data/admin.credentials"), "accessKey=AKADMIN\nsecretKey=admin-secret\n");
    }

    private CommandContext context() {
        return new CommandContext(
                environment, InputStream.nullInputStream(), OutputStream.nullOutputStream(), directory, false);
    }

    private Profiles profiles() {
        return new Profiles(context());
    }

    private void add(String name, String endpoint) throws Exception {
        profiles()
                .add(
                        new Profile(
                                name,
                                List.of(URI.create(endpoint)),
                                Optional.of(new NewCredential("AK" + name, "secret of " + name)),
                                Optional.empty()),
                        false);
    }

    /** Server and access key that a command with these options calls. */
    private String called(String... options) throws Exception {
        Connection connection = new Connection();
        new CommandLine(connection).parseArgs(options);
        List<TalosEndpoint> endpoints = connection.endpoints(context());
        return endpoints.get(0).uri() + " " + endpoints.get(0).accessKey();
    }

    @Test
    void fileOfAProfileIsItsUsersAlone() throws Exception {
        add("prod", "http://prod:1");
        profiles().use("prod");

        for (String file : List.of("profiles/prod", "profile")) {
            Path path = directory.resolve("config/talos").resolve(file);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------");
        }
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory.resolve("config/talos/profiles"))))
                .isEqualTo("rwx------");
    }

    @Test
    void profileThatOthersMayReadIsRefusedWithTheCommandThatMendsIt() throws Exception {
        add("prod", "http://prod:1");
        Path file = profiles().file("prod");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        assertThatThrownBy(() -> profiles().read("prod"))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("chmod 600 " + file)
                .hasMessageNotContaining("secret of prod");
    }

    @Test
    void namedProfileGoesOverTheEnvironmentAndOneInUseDoesNot() throws Exception {
        add("prod", "http://prod:1");
        add("test", "http://test:1");
        assertThat(called()).isEqualTo("http://127.0.0.1:8080 AKADMIN");

        profiles().use("prod");
        assertThat(called()).isEqualTo("http://prod:1 AKprod");
        assertThat(called("--profile", "test")).isEqualTo("http://test:1 AKtest");

        environment.put("TALOS_ENDPOINT", "");
        assertThat(called()).isEqualTo("http://prod:1 AKprod");
        environment.put("TALOS_ENDPOINT", "http://env:1");
        assertThat(called()).isEqualTo("http://env:1 AKADMIN");
        assertThat(called("--profile", "test")).isEqualTo("http://test:1 AKtest");

        environment.put("TALOS_PROFILE", "prod");
        assertThat(called()).isEqualTo("http://prod:1 AKprod");
        assertThat(called("--profile", "test")).isEqualTo("http://test:1 AKtest");
    }

    /** Its key is for its own servers: it is not shown to whoever answers at another address. */
    @Test
    void keyOfTheProfileInUseIsNotForServersThatAreNamedOtherwise() throws Exception {
        add("prod", "http://prod:1");
        profiles().use("prod");

        assertThat(called("--endpoint", "http://other:1")).isEqualTo("http://other:1 AKADMIN");

        environment.put("TALOS_ACCESS_KEY", "AKENV");
        environment.put("TALOS_SECRET_KEY", "env-secret");
        assertThat(called()).isEqualTo("http://127.0.0.1:8080 AKENV");
    }

    @Test
    void optionsReplaceTheirPartOfAProfile() throws Exception {
        add("prod", "http://prod:1");
        profiles().use("prod");
        Path file = Files.writeString(directory.resolve("ann"), "accessKey=AKANN\nsecretKey=of-ann\n");

        assertThat(called("--credentials", file.toString())).isEqualTo("http://prod:1 AKANN");
        assertThat(called("--profile", "prod", "--endpoint", "http://other:1")).isEqualTo("http://other:1 AKprod");
    }

    @Test
    void profileMayReadItsKeyFromAFile() throws Exception {
        Path file = Files.writeString(directory.resolve("ann"), "accessKey=AKANN\nsecretKey=of-ann\n");
        profiles()
                .add(
                        new Profile(
                                "ann",
                                Endpoints.of("http://a:1,http://b:1"),
                                Optional.empty(),
                                Optional.of(file.toAbsolutePath())),
                        false);

        assertThat(called("--profile", "ann")).isEqualTo("http://a:1 AKANN");
        assertThat(Files.readString(profiles().file("ann"))).doesNotContain("of-ann");
    }

    @Test
    void profileThatIsThereIsReplacedOnlyOnDemand() throws Exception {
        add("prod", "http://prod:1");

        assertThatThrownBy(() -> add("prod", "http://other:1")).hasMessageContaining("--replace");
        assertThat(called("--profile", "prod")).startsWith("http://prod:1");
    }

    @Test
    void removedProfileIsUsedNoMore() throws Exception {
        add("prod", "http://prod:1");
        profiles().use("prod");

        profiles().remove("prod");

        assertThat(profiles().used()).isEmpty();
        assertThat(profiles().all()).isEmpty();
        assertThat(called()).isEqualTo("http://127.0.0.1:8080 AKADMIN");
        assertThatThrownBy(() -> profiles().remove("prod")).hasMessageContaining("no profile 'prod'");
        assertThatThrownBy(() -> called("--profile", "prod"))
                .hasMessageContaining("talos profile list")
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(3));
    }

    @Test
    void fileThatIsWrittenAnewLeavesThoseBesideItAlone() throws Exception {
        add("prod.new", "http://new:1");
        Path key = Files.writeString(directory.resolve("ann.credentials"), "");
        Path next = Files.writeString(directory.resolve("ann.credentials.new"), "the next key");

        add("prod", "http://prod:1");
        PrivateFile.write(key, List.of("a key"));

        assertThat(profiles().all()).containsOnlyKeys("prod", "prod.new");
        assertThat(next).hasContent("the next key");
        assertThat(key).hasContent("a key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "../profile", "-x", "a b", "é"})
    void nameThatWouldLeaveTheFolderIsRefused(String name) {
        assertThatThrownBy(() -> profiles().file(name)).hasMessageContaining("cannot be a profile's name");
    }

    @Test
    void profileOfWhichAPartIsMissingIsListedAndRefused() throws Exception {
        Path file = profiles().file("half");
        Files.createDirectories(directory.resolve("config/talos/profiles"));
        Files.writeString(file, "endpoint=http://a:1\naccessKey=AK\n");

        assertThat(profiles().all()).containsEntry("half", Optional.empty());
        assertThatThrownBy(() -> profiles().read("half")).hasMessageContaining("secretKey=...");
    }

    @Test
    void secretIsInNoText() throws Exception {
        add("prod", "http://prod:1");

        assertThat(profiles().read("prod").toString()).contains("prod").doesNotContain("secret of");
    }

    @Test
    void processWithoutAHomeHasNoProfiles() throws Exception {
        environment.remove("XDG_CONFIG_HOME");

        assertThat(called()).isEqualTo("http://127.0.0.1:8080 AKADMIN");
        assertThatThrownBy(() -> profiles().file("a")).hasMessageContaining("set HOME");

        environment.put("HOME", directory.toString());
        assertThat(profiles().file("a")).isEqualTo(directory.resolve(".config/talos/profiles/a"));
    }
}
