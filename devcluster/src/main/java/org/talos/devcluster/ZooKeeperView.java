// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what each server of ZooKeeper says of itself, by its command {@code srvr}. Thread-safe. */
final class ZooKeeperView {
    private static final Pattern MODE = Pattern.compile("Mode: (\\w+)");
    private static final String LEADER = "leader";
    private static final int TIMEOUT_MILLIS = 1_000;

    private final Ports ports;

    ZooKeeperView(Ports ports) {
        this.ports = ports;
    }

    /** Standalone, leader or follower; empty if it does not serve: it is missing, or has no leader. */
    Optional<String> mode(Daemon server) {
        try (Socket socket = new Socket()) {
            socket.connect(Ports.address(ports.of(server)), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            Matcher mode = MODE.matcher(answer);
            return mode.find() ? Optional.of(mode.group(1)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // not there, or not yet
        }
    }

    /** The one that leads the ensemble; empty while none does, or if there is only one. */
    Optional<Daemon> leader() {
        return ports.zooKeepers().stream()
                .filter(each -> mode(each).filter(LEADER::equals).isPresent())
                .findFirst();
    }
}
