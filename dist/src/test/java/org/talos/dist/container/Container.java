// SPDX-License-Identifier: Apache-2.0
package org.talos.dist.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A container of the image that docs/install.md builds, made of the kernel's namespaces by
 * {@code src/test/container/container.sh}, which says what is in it and what a script in it may use.
 *
 * @param home the archive, unpacked
 * @param folder empty; for this container alone
 */
record Container(Path home, Path folder) {
    private static final Path DIST = Path.of(System.getProperty("talos.root")).resolve("dist");
    private static final Path SCRIPT = DIST.resolve("src/test/container/container.sh");
    private static final int NOT_HERE = 77;
    private static final int LONGEST_SECONDS = 170;

    /** The kind of addresses in a network. */
    enum Addresses {
        IPV4,
        IPV6
    }

    /**
     * Makes the container and runs a script beside it. Both end together, after {@value #LONGEST_SECONDS} s at the
     * latest. Where the machine lets nobody make a container the test is skipped, and says why.
     *
     * @return what the script and its commands have printed
     */
    String run(Addresses addresses, String script) throws IOException, InterruptedException {
        Files.createDirectory(folder.resolve("root"));
        Files.createDirectory(folder.resolve("volume"));
        Files.writeString(folder.resolve("settings.sh"), settings(addresses));
        Files.writeString(folder.resolve("script.sh"), script);
        Path output = folder.resolve("output");
        Process run = new ProcessBuilder("bash", SCRIPT.toString(), folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = run.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS);
            assertThat(ended).as(Files.readString(output)).isTrue();
        } finally {
            run.destroyForcibly(); // and with it, by the kernel, all that it has started
        }
        String said = Files.readString(output);
        assumeTrue(run.exitValue() != NOT_HERE, said);
        assertThat(run.exitValue()).as(said).isZero();
        return said;
    }

    private String settings(Addresses addresses) throws IOException {
        return String.format(
                Locale.ROOT,
                "home='%s' java='%s' program='%s' network=%s%n%s",
                home,
                System.getProperty("java.home"),
                DIST.resolve("target/test-classes"),
                addresses.name().toLowerCase(Locale.ROOT),
                Image.of(DIST.resolve("docker/Dockerfile")).assignments());
    }
}
