// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The ports of a cluster, by name, and so which daemons it has. They stay the same over restarts, since clients and
 * data name them, and lie where {@link FreePorts} takes them from. Immutable.
 */
record Ports(Map<String, Integer> byName) {
    static final String HOST = "127.0.0.1";
    static final String TALOS = "talos";
    static final String TALOS_MANAGEMENT = "talos.management";
    private static final int SCATTER = 0x9E37_79B1;

    Ports {
        byName = Map.copyOf(byName);
    }

    /**
     * The ports that the file has, and new ones for names that it has not; all of them when it has none.
     *
     * @param zooKeepers how many servers ZooKeeper has, 1 or 3; 0: as many as in the file, else 1
     * @throws IOException the file is of a cluster with another number of them, whose data is theirs
     */
    static Ports load(Path file, int first, int zooKeepers) throws IOException {
        Properties known = new Properties();
        if (Files.exists(file)) {
            try (Reader reader = Files.newBufferedReader(file)) {
                known.load(reader);
            }
        }
        List<String> names = names(ensemble(file, known, zooKeepers));
        Map<String, Integer> ports = new TreeMap<>();
        for (String name : names) {
            String port = known.getProperty(name);
            if (port != null) {
                ports.put(name, Integer.valueOf(port));
            }
        }
        int next = first;
        for (String name : names) {
            if (!ports.containsKey(name)) {
                next = free(next, ports);
                ports.put(name, next);
            }
        }
        return new Ports(ports);
    }

    private static int ensemble(Path file, Properties known, int wanted) throws IOException {
        int most = Daemon.zooKeepers().size();
        if (wanted != 0 && wanted != 1 && wanted != most) {
            throw new IOException("ZooKeeper servers: " + wanted + " (expected: 1 or " + most + ")");
        }
        int had = known.containsKey(Daemon.ZOOKEEPER_2.label()) ? most : 1;
        if (known.isEmpty()) {
            return Math.max(wanted, 1);
        }
        if (wanted != 0 && wanted != had) {
            throw new IOException("the cluster of " + file + " has " + had + " of ZooKeeper's servers, not " + wanted
                    + ": for another number delete its directory");
        }
        return had;
    }

    /** Returns whether the cluster has this daemon. */
    boolean has(Daemon daemon) {
        return byName.containsKey(daemon.label());
    }

    /** The servers of ZooKeeper that the cluster has. */
    List<Daemon> zooKeepers() {
        return Daemon.zooKeepers().stream().filter(this::has).toList();
    }

    /** Returns where ZooKeeper's clients connect to: {@code host:port}, separated by commas. */
    String zooKeeper() {
        return zooKeepers().stream().map(each -> HOST + ":" + of(each)).collect(Collectors.joining(","));
    }

    /** Returns the port by which a server of an ensemble follows its leader. */
    int peer(Daemon zooKeeper) {
        return of(zooKeeper.label() + ".peer");
    }

    /** Returns the port by which a server of an ensemble elects its leader. */
    int election(Daemon zooKeeper) {
        return of(zooKeeper.label() + ".election");
    }

    /**
     * Returns where the search begins: far apart for different directories, also for those whose names differ in one
     * digit, so that clusters side by side do not compete.
     */
    static int firstFor(Path directory) {
        return FreePorts.LOWEST
                + Math.floorMod(directory.toString().hashCode() * SCATTER, FreePorts.HIGHEST - FreePorts.LOWEST - 200);
    }

    void save(Path file) throws IOException {
        Properties properties = new Properties();
        byName.forEach((name, port) -> properties.setProperty(name, Integer.toString(port)));
        try (Writer writer = Files.newBufferedWriter(file)) {
            properties.store(writer, null);
        }
    }

    int of(String name) {
        Integer port = byName.get(name);
        if (port == null) {
            throw new IllegalArgumentException("port: " + name + " (expected: one of " + byName.keySet() + ")");
        }
        return port;
    }

    /** The port by which others reach the daemon. */
    int of(Daemon daemon) {
        return of(daemon.label());
    }

    int http(Daemon daemon) {
        return of(daemon.label() + ".http");
    }

    int ipc(Daemon daemon) {
        return of(daemon.label() + ".ipc");
    }

    /** All ports at which the daemon listens. */
    List<Integer> allOf(Daemon daemon) {
        return byName.entrySet().stream()
                .filter(port ->
                        port.getKey().equals(daemon.label()) || port.getKey().startsWith(daemon.label() + "."))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Returns a copy in which the daemon has another port. */
    Ports with(Daemon daemon, int port) {
        Map<String, Integer> changed = new TreeMap<>(byName);
        changed.put(daemon.label(), port);
        return new Ports(changed);
    }

    /** The name that a DataNode gives itself: a loopback address which is left to a proxy before it. */
    String proxyHost(Daemon dataNode) {
        return "127.0.0." + proxyByte(dataNode);
    }

    InetSocketAddress proxyAddress(Daemon dataNode) throws IOException {
        byte[] address = {127, 0, 0, proxyByte(dataNode)};
        return new InetSocketAddress(InetAddress.getByAddress(address), of(dataNode));
    }

    private static byte proxyByte(Daemon dataNode) {
        return (byte) (11 + Daemon.dataNodes().indexOf(dataNode));
    }

    static InetSocketAddress address(int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }

    private static List<String> names(int zooKeepers) {
        List<Daemon> servers = Daemon.zooKeepers().subList(0, zooKeepers);
        List<String> names = new ArrayList<>();
        for (Daemon daemon : Daemon.values()) {
            if (daemon.isZooKeeper() && !servers.contains(daemon)) {
                continue;
            }
            names.add(daemon.label());
            if (daemon.isZooKeeper() && zooKeepers > 1) {
                names.add(daemon.label() + ".peer");
                names.add(daemon.label() + ".election");
            }
            if (daemon == Daemon.NAMENODE || daemon.isDataNode()) {
                names.add(daemon.label() + ".http");
            }
            if (daemon.isDataNode()) {
                names.add(daemon.label() + ".ipc");
            }
        }
        names.add(TALOS);
        names.add(TALOS_MANAGEMENT);
        return names;
    }

    private static int free(int first, Map<String, Integer> taken) throws IOException {
        for (int port = first; port < first + 1_000; port++) {
            if (!taken.containsValue(port) && FreePorts.isFree(port)) {
                return port;
            }
        }
        throw new IOException("no free port between " + first + " and " + (first + 1_000));
    }
}
