// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import java.util.Map;

/** The subjects of routes, by which a page of the description groups them, and a generated client may. */
public enum Subject {
    TOPICS("Topics", "Topics, their partitions, and their history."),
    MESSAGES("Messages", "Put, get, search, and follow messages."),
    GROUPS("Groups", "Consumer groups: members, offsets, and rights."),
    PERMISSIONS("Permissions", "The users, teams, and orgs that may put and get."),
    QUOTAS("Quotas", "Quotas of users, topics, and orgs."),
    USERS("Users", "Users and their keys, for administrators."),
    CLUSTER("Cluster", "The servers of a cluster, for administrators."),
    SESSIONS("Sessions", "Sessions of the server's own pages."),
    SERVER("Server", "The server that answers.");

    /** Of a path with segments of several subjects, the first of these decides. */
    private static final List<Map.Entry<String, Subject>> BY_SEGMENT = List.of(
            entry("groups", GROUPS),
            entry("permissions", PERMISSIONS),
            entry("quota", QUOTAS),
            entry("quotas", QUOTAS),
            entry("messages", MESSAGES),
            entry("search", MESSAGES),
            entry("offsets", MESSAGES),
            entry("events", MESSAGES),
            entry("stream", MESSAGES),
            entry("topics", TOPICS),
            entry("users", USERS),
            entry("cluster", CLUSTER),
            entry("session", SESSIONS));

    private final String title;
    private final String text;

    Subject(String title, String text) {
        this.title = title;
        this.text = text;
    }

    /** Returns the subject of a path, given by its segments. */
    public static Subject of(List<String> path) {
        return BY_SEGMENT.stream()
                .filter(each -> path.contains(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(SERVER);
    }

    /** Returns the name that the description has. */
    public String title() {
        return title;
    }

    /** Adds all subjects to the tags of a description, in the order in which they are shown. */
    public static void addTo(ArrayNode tags) {
        for (Subject each : values()) {
            tags.addObject().put("name", each.title).put("description", each.text);
        }
    }
}
