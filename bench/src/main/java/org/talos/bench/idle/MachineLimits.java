// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The limits of this machine on connections between two of its processes, as Linux shows them. They are looked at and
 * never changed.
 *
 * <p>Immutable.
 */
record MachineLimits(List<MachineLimit> all, int ports) {
    /** Segments, rows, libraries; and what is under way while connections come and go. */
    private static final int OTHER_FILES = 1_000;

    /** Addresses of loopback that are used: 127.0.0.1 to .250. */
    private static final int ADDRESSES = 250;

    /** Ports of an address that may be in use otherwise. */
    private static final int OTHER_PORTS = 200;

    /** As many connections as the server lets wait until it accepts them. */
    private static final int ACCEPT_QUEUE = 1_024;

    /** Of both processes and of the system's sockets, measured, with room. */
    private static final int BYTES_OF_A_CONNECTION = 32 << 10;

    private static final long OTHER_BYTES = 2L << 30;
    private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\s+(\\d+)");

    MachineLimits {
        all = List.copyOf(all);
    }

    /**
     * Reads them.
     *
     * @param root of the file system
     */
    static MachineLimits read(Path root) throws IOException {
        Path sys = root.resolve("proc/sys");
        List<MachineLimit> found = new ArrayList<>();
        found.add(new MachineLimit(
                "open files of each of the two processes",
                openFiles(root.resolve("proc/self/limits")),
                OTHER_FILES,
                1,
                "ulimit -n %d (as root, in the shell that starts this; for a server LimitNOFILE=%<d in its unit)"));
        add(found, sys, "fs.nr_open", OTHER_FILES, 1);
        add(found, sys, "fs.file-max", 100 * OTHER_FILES, 2);
        add(found, sys, "net.core.somaxconn", ACCEPT_QUEUE, 0);
        add(found, sys, "net.netfilter.nf_conntrack_max", OTHER_FILES, 1);
        int ports = ports(sys.resolve("net/ipv4/ip_local_port_range"));
        found.add(new MachineLimit(
                "local ports of " + ADDRESSES + " addresses",
                (long) ADDRESSES * ports,
                0,
                1,
                "sysctl -w net.ipv4.ip_local_port_range='1024 65535'"));
        found.add(new MachineLimit(
                "memory, bytes",
                memory(root.resolve("proc/meminfo")),
                OTHER_BYTES,
                BYTES_OF_A_CONNECTION,
                "ps aux --sort=-rss (and end what is not needed)"));
        return new MachineLimits(found, ports);
    }

    /** A number of the system's, if this system has it. */
    private static void add(List<MachineLimit> found, Path sys, String key, long reserved, double each)
            throws IOException {
        Path file = sys.resolve(key.replace('.', '/'));
        if (Files.exists(file)) {
            long most = number(line(file).strip());
            found.add(new MachineLimit(key, most, reserved, each, "sysctl -w " + key + "=%d"));
        }
    }

    /** Read in one piece: what the system shows of itself cannot be read on. */
    private static String line(Path file) throws IOException {
        return String.join("", Files.readAllLines(file));
    }

    /** The largest there is for a number that no long has, and for none. */
    private static long number(String digits) {
        return digits.length() > 18 || digits.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(digits);
    }

    /** The hard limit, as a JVM raises its own to it. */
    private static long openFiles(Path limits) throws IOException {
        for (String line : Files.readAllLines(limits)) {
            if (line.startsWith("Max open files")) {
                return number(line.strip().split(" {2,}")[2]);
            }
        }
        throw new IOException(limits + " has no open files");
    }

    private static int ports(Path range) throws IOException {
        Matcher numbers = NUMBERS.matcher(line(range));
        if (!numbers.find()) {
            throw new IOException(range + " is no range");
        }
        int all = Integer.parseInt(numbers.group(2)) - Integer.parseInt(numbers.group(1)) + 1;
        return Math.max(0, all - OTHER_PORTS);
    }

    private static long memory(Path file) throws IOException {
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith("MemAvailable:")) {
                return Long.parseLong(line.split("\\s+")[1]) << 10;
            }
        }
        throw new IOException(file + " has no available memory");
    }

    /** Those that do not allow so many connections. */
    List<MachineLimit> tooLow(int connections) {
        return all.stream().filter(each -> !each.allows(connections)).toList();
    }

    /** Returns how many connections all of them allow. */
    long connections() {
        return all.stream().mapToLong(MachineLimit::connections).min().orElse(0);
    }
}
