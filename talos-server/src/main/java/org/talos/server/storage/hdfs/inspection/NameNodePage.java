// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs.inspection;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * Reads a NameNode's version from its page for operators: its protocol for clients does not have it.
 *
 * <p>Immutable; its calls block.
 */
final class NameNodePage {
    private static final String ADDRESSES = "dfs\\.namenode\\.(https?)-address(\\..*)?";
    private static final String BEAN = "/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo";
    private static final Pattern VERSION = Pattern.compile("\"SoftwareVersion\"\\s*:\\s*\"([^\"]+)\"");
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final Configuration client;

    NameNodePage(Configuration client) {
        this.client = client;
    }

    /** Returns the version of the NameNode that answers first; empty if none does, or if the client files name none. */
    Optional<String> version() {
        HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
        for (Map.Entry<String, String> each :
                client.getPropsWithPrefix("dfs.namenode.http").entrySet()) {
            Matcher key = Pattern.compile(ADDRESSES).matcher("dfs.namenode.http" + each.getKey());
            if (key.matches()) {
                Optional<String> version = ask(http, key.group(1) + "://" + each.getValue() + BEAN);
                if (version.isPresent()) {
                    return version;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<String> ask(HttpClient http, String uri) {
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(uri)).timeout(PATIENCE).build();
            Matcher found =
                    VERSION.matcher(http.send(request, BodyHandlers.ofString()).body());
            return found.find() ? Optional.of(found.group(1)) : Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty(); // not reachable, or it requires authentication: the caller reports it as unknown
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
