// SPDX-License-Identifier: Apache-2.0
package org.talos.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the arguments that the command hands to Java, by a stand-in for Java that prints them. */
class StartScriptTest {
    private static final Path SCRIPT = Path.of(System.getProperty("talos.root")).resolve("dist/src/bin/talos");

    @TempDir
    private Path folder;

    @BeforeEach
    void makeJava() throws IOException {
        Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        Path java = Files.createDirectories(folder.resolve("bin")).resolve("java");
        Files.writeString(java, """
                #!/bin/sh
                echo "$@" > "$JAVA_HOME/arguments"
                umask > "$JAVA_HOME/umask"
                echo "${LC_ALL-none} ${LANGUAGE-none} ${LC_CTYPE-none} ${LC_MESSAGES-none} ${LANG-none}"
                """);
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
    }

    private String locale(String command, Map<String, String> environment) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(List.of("bash", SCRIPT.toString(), command));
        builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.startsWith("LANG"));
        builder.environment().keySet().removeAll(Set.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"));
        builder.environment().put("JAVA_HOME", folder.toString());
        builder.environment().put("TALOS_CDS", "off");
        builder.environment().put("PATH", folder.resolve("tools") + ":" + System.getenv("PATH"));
        builder.environment().putAll(environment);
        Path complaints = folder.resolve("complaints");
        Process process = builder.redirectError(complaints.toFile()).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        // Bash itself complains of a locale that the test has no right to expect.
        assertThat(Files.readAllLines(complaints))
                .noneMatch(line -> line.startsWith("talos: ") || line.contains("command not found"));
        return said.strip();
    }

    /** A machine whose locales are these, and whose charmap is that of LC_ALL, else of LC_CTYPE, else of LANG. */
    private void machineHas(String... locales) throws IOException {
        Path program = Files.createDirectories(folder.resolve("tools")).resolve("locale");
        Files.writeString(program, String.format(Locale.ROOT, """
                #!/bin/sh
                # Not bash, which would complain of a locale that this machine lacks itself.
                locales='C POSIX %s'
                if [ "$1" = -a ]; then
                    printf '%%s\\n' $locales
                    exit 0
                fi
                used=${LC_ALL:-${LC_CTYPE:-${LANG:-C}}}
                for each in $locales; do
                    [ "$each" != "$used" ] || found=$each
                done
                [ -n "${found:-}" ] || echo 'locale: Cannot set LC_ALL to default locale: No such file or directory' >&2
                case ${found:-} in
                    *.UTF-8 | *.utf8) echo UTF-8 ;;
                    *.ISO-8859-1) echo ISO-8859-1 ;;
                    *) echo ANSI_X3.4-1968 ;;
                esac
                """, String.join(" ", locales)));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    /** RocksDB's files have the mode that the umask leaves. */
    @ParameterizedTest
    @ValueSource(strings = {"server", "quickstart", "admin-key"})
    void filesOfTheDataDirectoryAreForTheirUserAlone(String command) throws Exception {
        machineHas("C.UTF-8");

        locale(command, Map.of());

        assertThat(Files.readString(folder.resolve("umask")).strip()).isEqualTo("0077");
    }

    /** By their words the server knows a full disk. */
    @Test
    void serversSystemSpeaksEnglishInWhateverCharacters() throws Exception {
        machineHas("C.UTF-8", "de_DE.UTF-8", "zh_CN.UTF-8");

        assertThat(locale("server", Map.of())).isEqualTo("none none C.UTF-8 C C.UTF-8");
        assertThat(locale("server", Map.of("LANG", "de_DE.UTF-8", "LANGUAGE", "de")))
                .isEqualTo("none none de_DE.UTF-8 C de_DE.UTF-8");
        assertThat(locale("server", Map.of("LANG", "C", "LC_ALL", "zh_CN.UTF-8")))
                .isEqualTo("none none zh_CN.UTF-8 C C");
    }

    /** Java would lose what is not ASCII of arguments and of the names of files. */
    @Test
    void localeOfUtf8IsSetWhereNoneIs() throws Exception {
        machineHas("C.UTF-8");

        for (String none : List.of("C", "POSIX", "xx_XX.UTF-8", "xx_XX")) {
            for (String variable : List.of("LC_ALL", "LC_CTYPE", "LANG")) {
                assertThat(locale("put", Map.of(variable, none)))
                        .as(variable + "=" + none)
                        .isEqualTo("none none none none C.UTF-8");
            }
        }
        assertThat(locale("put", Map.of())).isEqualTo("none none none none C.UTF-8");
        assertThat(locale("server", Map.of("LANG", "xx_XX.UTF-8", "LC_TIME", "xx_XX.UTF-8")))
                .isEqualTo("none none C.UTF-8 C C.UTF-8");
    }

    @Test
    void anyLocaleOfUtf8ServesWhereTheUsualOnesLack() throws Exception {
        machineHas("fr_FR.ISO-8859-1", "fr_FR.utf8");

        assertThat(locale("put", Map.of("LC_ALL", "C"))).isEqualTo("none none none none fr_FR.utf8");
    }

    @Test
    void localeThatIsChosenStays() throws Exception {
        machineHas("C.UTF-8", "de_DE.UTF-8", "fr_FR.ISO-8859-1");

        assertThat(locale("put", Map.of("LC_ALL", "fr_FR.ISO-8859-1")))
                .isEqualTo("fr_FR.ISO-8859-1 none none none none");
        assertThat(locale("put", Map.of("LANG", "de_DE.UTF-8"))).isEqualTo("none none none none de_DE.UTF-8");
    }

    @Test
    void machineWithoutALocaleOfUtf8StartsAllTheSame() throws Exception {
        machineHas();

        assertThat(locale("put", Map.of("LC_ALL", "C"))).isEqualTo("C none none none none");
    }

    private List<String> arguments(String command, String options) throws Exception {
        Process process = environment(new ProcessBuilder(List.of("bash", SCRIPT.toString(), command)), options)
                .start();
        assertThat(process.waitFor()).isZero();
        return List.of(Files.readString(folder.resolve("arguments")).strip().split(" "));
    }

    private List<String> argumentsWith(String variable, String options) throws Exception {
        ProcessBuilder builder = environment(new ProcessBuilder(List.of("bash", SCRIPT.toString(), "server")), "");
        builder.environment().put(variable, options);
        assertThat(builder.start().waitFor()).isZero();
        return List.of(Files.readString(folder.resolve("arguments")).strip().split(" "));
    }

    private ProcessBuilder environment(ProcessBuilder builder, String options) {
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("JAVA_HOME", folder.toString());
        builder.environment().put("TALOS_JAVA_OPTS", options);
        return builder;
    }

    @Test
    void heapOfAServerIsAShareOfWhatTheContainerGives() throws Exception {
        assertThat(arguments("server", ""))
                .contains("-XX:MaxRAMPercentage=50")
                .noneMatch(each -> each.startsWith("-Xm"));
        assertThat(arguments("quickstart", "")).contains("-XX:MaxRAMPercentage=25");
    }

    /** Checks that set options come last, because Java takes the last one. */
    @Test
    void pausesAreBoundUnlessTheyAreSet() throws Exception {
        assertThat(arguments("server", "-XX:MaxGCPauseMillis=100"))
                .containsSubsequence("-XX:MaxGCPauseMillis=20", "-XX:MaxGCPauseMillis=100");
        assertThat(arguments("bench", "")).noneMatch(each -> each.contains("MaxGCPauseMillis"));
    }

    /** Java does not start with two. */
    @Test
    void collectorIsG1UnlessAnotherIsSet() throws Exception {
        assertThat(arguments("server", "-Xmx3g -XX:+UseGCOverheadLimit")).contains("-XX:+UseG1GC");
        assertThat(arguments("server", "-Xmx3g -XX:+UseZGC -XX:ZCollectionInterval=5"))
                .contains("-XX:+UseZGC")
                .doesNotContain("-XX:+UseG1GC");
        assertThat(arguments("quickstart", "-XX:+UseSerialGC")).doesNotContain("-XX:+UseG1GC");
        assertThat(arguments("server", "-Xmx3g\n-XX:+UseParallelGC\n")).doesNotContain("-XX:+UseG1GC");
        assertThat(argumentsWith("JAVA_TOOL_OPTIONS", "-Xmx3g -XX:+UseShenandoahGC"))
                .doesNotContain("-XX:+UseG1GC");
        assertThat(argumentsWith("JDK_JAVA_OPTIONS", "\"-XX:+UseParallelGC\"")).doesNotContain("-XX:+UseG1GC");
        assertThat(argumentsWith("JDK_JAVA_OPTIONS", "'-XX:+UseZGC'")).doesNotContain("-XX:+UseG1GC");
        assertThat(argumentsWith("JDK_JAVA_OPTIONS", "@/etc/talos/jvm")).doesNotContain("-XX:+UseG1GC");
        assertThat(argumentsWith("_JAVA_OPTIONS", "-XX:+UseZGC")).doesNotContain("-XX:+UseG1GC");
        assertThat(arguments("bench", "")).doesNotContain("-XX:+UseG1GC");
    }

    /** Java goes by -Xmx where it has both. */
    @Test
    void heapThatIsSetComesLast() throws Exception {
        assertThat(arguments("server", "-Xmx3g"))
                .containsSubsequence("-XX:MaxRAMPercentage=50", "-Xmx3g")
                .noneMatch(each -> each.startsWith("-Xms"));
    }

    /** With it, cd looks elsewhere first, and prints where it went. */
    @ParameterizedTest
    @ValueSource(strings = {"bin/talos", "link/talos", "talos"})
    void installationIsFoundAlsoWhenFoldersAreSearchedForByCd(String script) throws Exception {
        Path home = Files.createDirectories(folder.resolve("home")).toRealPath();
        Files.createDirectories(home.resolve("bin"));
        Files.copy(SCRIPT, home.resolve("bin/talos"));
        Files.createSymbolicLink(
                Files.createDirectories(home.resolve("link")).resolve("talos"), Path.of("../bin/talos"));
        Path elsewhere =
                Files.createDirectories(folder.resolve("elsewhere/bin")).getParent();
        Files.createDirectories(elsewhere.resolve("link"));
        ProcessBuilder builder = environment(new ProcessBuilder(List.of("bash", script, "server")), "")
                .directory((script.contains("/") ? home : home.resolve("bin")).toFile());
        builder.environment().put("CDPATH", elsewhere + ":" + home);

        assertThat(builder.start().waitFor()).isZero();

        assertThat(Files.readString(folder.resolve("arguments")))
                .contains("-Dtalos.home=" + home + " ", "-cp " + home + "/lib/* ");
    }

    /** They warn at each start otherwise, and older ones do not start with options that they do not know. */
    @Test
    void newJdksAreToldThatNativeLibrariesAreMeant() throws Exception {
        String nativeAccess = "--enable-native-access=ALL-UNNAMED";
        String unsafe = "--sun-misc-unsafe-memory-access=allow";
        for (String command : List.of("server", "put")) {
            assertThat(arguments(command, "")).doesNotContain(nativeAccess, unsafe);
            Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"22.0.1\"\n");
            assertThat(arguments(command, "")).contains(nativeAccess).doesNotContain(unsafe);
            Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"25\"\n");
            assertThat(arguments(command, "")).contains(nativeAccess, unsafe);
            Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        }
    }

    @Test
    void withoutArgumentsItNamesFiveCommandsAndStartsNothing() throws Exception {
        Process process = environment(new ProcessBuilder(List.of("bash", SCRIPT.toString())), "")
                .redirectOutput(ProcessBuilder.Redirect.PIPE)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).isZero();
        assertThat(said.lines().filter(line -> line.startsWith("  ")))
                .hasSize(5)
                .allMatch(line -> line.contains("/talos "));
        assertThat(folder.resolve("arguments")).doesNotExist();
    }
}
