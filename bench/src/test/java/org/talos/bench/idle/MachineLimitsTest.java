// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limits of a machine that is a folder of files. */
class MachineLimitsTest {
    @TempDir
    Path root;

    @BeforeEach
    void large() throws IOException {
        openFiles("1048576");
        file("proc/sys/fs/nr_open", "1048576");
        file("proc/sys/fs/file-max", "9223372036854775807");
        file("proc/sys/net/core/somaxconn", "4096");
        file("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999");
        file("proc/meminfo", "MemTotal:  64000000 kB\nMemAvailable:   48000000 kB");
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    private void openFiles(String hard) throws IOException {
        file(
                "proc/self/limits",
                "Limit                     Soft Limit           Hard Limit           Units     \n"
                        + String.format(
                                Locale.ROOT, "Max open files            1024                 %-20s files     ", hard));
    }

    private String sentences(int connections) throws IOException {
        StringBuilder all = new StringBuilder();
        MachineLimits.read(root)
                .tooLow(connections)
                .forEach(each -> all.append(each.sentence(connections)).append('\n'));
        return all.toString();
    }

    @Test
    void machineWithRoomHasNothingTooLow() throws IOException {
        assertThat(sentences(100_000)).isEmpty();
        assertThat(MachineLimits.read(root).connections()).isGreaterThanOrEqualTo(100_000);
    }

    @Test
    void openFilesAreNamedWithTheirCommandAndWhatTheyAllow() throws IOException {
        openFiles("20000");

        assertThat(sentences(100_000))
                .contains("open files")
                .contains(": 20000 ")
                .contains("ulimit -n 101000");
        assertThat(sentences(19_000)).isEmpty();
        assertThat(MachineLimits.read(root).connections()).isEqualTo(19_000);
    }

    @Test
    void unlimitedFilesAreEnough() throws IOException {
        openFiles("unlimited");

        assertThat(sentences(100_000)).isEmpty();
    }

    @Test
    void eachOfTheSystemsNumbersIsNamedWithItsCommand() throws IOException {
        file("proc/sys/fs/nr_open", "65536");
        file("proc/sys/fs/file-max", "100000");
        file("proc/sys/net/core/somaxconn", "128");
        file("proc/sys/net/netfilter/nf_conntrack_max", "32768");
        file("proc/sys/net/ipv4/ip_local_port_range", "60000 60299");
        file("proc/meminfo", "MemAvailable:   2000000 kB");

        assertThat(sentences(100_000).lines())
                .hasSize(6)
                .anyMatch(line -> line.endsWith("sysctl -w fs.nr_open=101000"))
                .anyMatch(line -> line.endsWith("sysctl -w fs.file-max=300000"))
                .anyMatch(line -> line.endsWith("sysctl -w net.core.somaxconn=1024"))
                .anyMatch(line -> line.endsWith("sysctl -w net.netfilter.nf_conntrack_max=101000"))
                .anyMatch(line -> line.endsWith("sysctl -w net.ipv4.ip_local_port_range='1024 65535'"))
                .anyMatch(line -> line.startsWith("memory"));
        assertThat(MachineLimits.read(root).connections()).isZero();
    }

    @Test
    void portsOfAllAddressesCount() throws IOException {
        file("proc/sys/net/ipv4/ip_local_port_range", "60000 60999");

        assertThat(sentences(100_000)).isEmpty(); // 800 of each of 250 addresses
        assertThat(MachineLimits.read(root).ports()).isEqualTo(800);
    }
}
