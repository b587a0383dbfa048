// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.talos.client.ScriptedServer.result;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.cli.CommandContext;
import org.talos.thrift.ListUsersResponse;
import org.talos.thrift.User;

/** Tests the completions of bash, zsh, and fish; shells that are not installed are left out. */
@Timeout(60)
class CompletionTest {
    /** Gives the last word of a line to the function, as the shell does when Tab is pressed. */
    private static final String PRESS_TAB =
            "COMP_LINE=$1; COMP_POINT=${#COMP_LINE}; _talos; printf '%s\\n' \"${COMPREPLY[@]}\"";

    @TempDir
    Path folder;

    /** Stands in the place of talos: writes down how it was asked, and knows two topics. */
    @BeforeEach
    void makeTalos() throws Exception {
        Path talos = Files.createDirectories(folder.resolve("bin")).resolve("talos");
        Files.writeString(talos, String.format(Locale.ROOT, """
                #!/usr/bin/env sh
                echo "$TALOS_COMPLETING $*" >> "%s/asked"
                case $3 in
                    topics) echo orders; echo other; echo logs ;;
                    groups) echo "group-of-$4" ;;
                    users) echo ann ;;
                    profiles) echo prod ;;
                esac
                """, folder));
        Files.setPosixFilePermissions(talos, PosixFilePermissions.fromString("rwx------"));
    }

    private Path script(String shell) throws Exception {
        var out = new ByteArrayOutputStream();
        var context = new CommandContext(Map.of(), InputStream.nullInputStream(), out, folder, false);
        assertThat(Talos.commandLine(context).execute("completion", shell)).isZero();
        return Files.write(folder.resolve("talos." + shell), out.toByteArray());
    }

    private static void assumeInstalled(String shell) {
        assumeTrue(
                Stream.of("/bin", "/usr/bin", "/usr/local/bin")
                        .anyMatch(each -> Files.isExecutable(Path.of(each, shell))),
                shell + " is not installed");
    }

    private List<String> offered(String shell, String line) throws Exception {
        assumeInstalled(shell);
        String typed = line.replaceFirst("^talos", folder.resolve("bin/talos").toString());
        List<String> command = switch (shell) {
            case "fish" ->
                List.of(
                        "fish",
                        "--no-config",
                        "-c",
                        "source " + script(shell) + "; set PATH " + folder.resolve("bin") + " $PATH; complete -C '"
                                + typed + "'");
            case "zsh" ->
                List.of(
                        "zsh",
                        "-f",
                        "-c",
                        "source " + script(shell) + "; setopt ksharrays; " + PRESS_TAB,
                        "zsh",
                        typed);
            default -> List.of("bash", "--norc", "-c", "source " + script(shell) + "; " + PRESS_TAB, "bash", typed);
        };
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("XDG_CONFIG_HOME", folder.toString());
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.lines().filter(each -> !each.isBlank()).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void shellOffersCommandsOptionsAndTheirValues(String shell) throws Exception {
        assertThat(offered(shell, "talos ")).contains("topic", "put", "get", "tail", "top", "profile", "completion");
        assertThat(offered(shell, "talos group "))
                .containsExactlyInAnyOrder("delete", "describe", "grant", "list", "reset", "revoke", "undo-reset");
        assertThat(offered(shell, "talos quota t")).containsExactly("take-back");
        assertThat(offered(shell, "talos group reset --e")).containsExactlyInAnyOrder("--endpoint", "--execute");
        assertThat(offered(shell, "talos get orders --format nd")).containsExactly("ndjson");
        assertThat(offered(shell, "talos get orders -o ")).containsExactlyInAnyOrder("text", "json");
        assertThat(offered(shell, "talos get --from e")).containsExactly("earliest");
        assertThat(offered(shell, "talos topic grant orders ann p")).containsExactly("put");
        assertThat(offered(shell, "talos completion z")).containsExactly("zsh");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void shellOffersNamesThatServersKnow(String shell) throws Exception {
        assertThat(offered(shell, "talos get o")).containsExactlyInAnyOrder("orders", "other");
        assertThat(offered(shell, "talos group describe logs ")).containsExactly("group-of-logs");
        assertThat(offered(shell, "talos topic grant orders ")).containsExactly("ann");
        assertThat(offered(shell, "talos quota show --topic l")).containsExactly("logs");
        assertThat(offered(shell, "talos topic list --profile ")).containsExactly("prod");
    }

    /** A URL has colons, at which bash splits words. */
    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void namesAreAskedForWhereTheCommandWouldGo(String shell) throws Exception {
        assertThat(offered(shell, "talos group describe --endpoint http://10.0.0.1:8080 -o json logs "))
                .containsExactly("group-of-logs");

        assertThat(Files.readString(folder.resolve("asked")).strip())
                .isEqualTo("1 completion --names groups logs --endpoint http://10.0.0.1:8080");
    }

    /** In the folder of the shell, whose files they would become. */
    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void patternsOfTheLineStayAsTheyAre(String shell) throws Exception {
        Files.createFile(folder.resolve("orders"));
        Files.createFile(folder.resolve("other"));

        assertThat(offered(shell, "talos tail --grep o* logs --format nd")).containsExactly("ndjson");
        assertThat(offered(shell, "talos group describe --credentials o* logs "))
                .containsExactly("group-of-logs");
    }

    @Test
    void zshKnowsWhoCompletesTalos() throws Exception {
        assumeInstalled("zsh");
        Process zsh = new ProcessBuilder("zsh", "-f", "-c", "source " + script("zsh") + "; print -r -- $_comps[talos]")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(zsh.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("_talos");
    }

    @Test
    void namesArePrintedOneALineAndNothingElse() throws Exception {
        try (ScriptedCommand talos = new ScriptedCommand(folder)) {
            talos.server.then(result(new ListUsersResponse(List.of(
                    new User("ann", "AK1", false, List.of(), List.of(), 1),
                    new User("bob", "AK2", false, List.of(), List.of(), 1)))));

            assertThat(talos.call("completion", "--names", "users")).isZero();

            assertThat(talos.out()).isEqualTo("ann\nbob\n");
        }
    }

    @Test
    void serverThatIsNotThereOffersNothing() throws Exception {
        try (ScriptedCommand talos = new ScriptedCommand(folder)) {
            talos.environment.put("TALOS_ENDPOINT", "http://127.0.0.1:1");

            assertThat(talos.call("completion", "--names", "topics")).isEqualTo(1);

            assertThat(talos.out()).isEmpty();
        }
    }

    @Test
    void scriptIsOfTheShellThatIsNamed() throws Exception {
        try (ScriptedCommand talos = new ScriptedCommand(folder)) {
            assertThat(talos.call("completion", "csh")).isEqualTo(2);

            assertThat(talos.err()).contains("'csh' is not a shell that is known (expected: bash, zsh, fish)");
        }
    }
}
