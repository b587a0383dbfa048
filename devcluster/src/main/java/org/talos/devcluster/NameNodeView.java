// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the NameNode's view of the cluster from its JMX over HTTP. Thread-safe. */
final class NameNodeView {
    private static final Pattern LIVE_COUNT = Pattern.compile("\"NumLiveDataNodes\"\\s*:\\s*(\\d+)");
    private static final Pattern STATE = Pattern.compile("\"FSState\"\\s*:\\s*\"(\\w+)\"");
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final Ports ports;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

    NameNodeView(Ports ports) {
        this.ports = ports;
    }

    /** Returns whether it accepts writes and that many DataNodes have registered. */
    boolean isOperational(int dataNodes) throws InterruptedException {
        String state = bean("FSNamesystemState");
        Matcher live = LIVE_COUNT.matcher(state);
        Matcher phase = STATE.matcher(state);
        return live.find()
                && Integer.parseInt(live.group(1)) >= dataNodes
                && phase.find()
                && phase.group(1).equals("Operational");
    }

    /** Returns whether it counts the DataNode as live, by its heartbeats. False too when it does not answer. */
    boolean isLive(Daemon dataNode) throws InterruptedException {
        return nodes("LiveNodes").contains(address(dataNode));
    }

    /** Returns whether it counts the DataNode as dead. False too when it does not answer. */
    boolean isDead(Daemon dataNode) throws InterruptedException {
        return nodes("DeadNodes").contains(address(dataNode));
    }

    /** The attribute is JSON inside JSON. */
    private String address(Daemon dataNode) {
        return "\\\"xferaddr\\\":\\\"" + Ports.HOST + ":" + ports.of(dataNode) + "\\\"";
    }

    private String nodes(String attribute) throws InterruptedException {
        String info = bean("NameNodeInfo");
        int begin = info.indexOf("\"" + attribute + "\"");
        return begin < 0 ? "" : info.substring(begin, info.indexOf('\n', begin));
    }

    /** Empty when the NameNode does not answer. */
    private String bean(String name) throws InterruptedException {
        URI uri = URI.create("http://" + Ports.HOST + ":" + ports.http(Daemon.NAMENODE)
                + "/jmx?qry=Hadoop:service=NameNode,name=" + name);
        try {
            HttpResponse<String> response = http.send(
                    HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofString());
            return response.statusCode() == 200 ? response.body() : "";
        } catch (IOException e) {
            return ""; // not there, or not yet
        }
    }
}
