// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The owner of each partition of a topic. Immutable.
 *
 * @param epoch incremented by each change
 * @param owners id of each partition's server, {@link #NOBODY} for none
 */
record TopicOwners(long epoch, List<String> owners) {
    static final String NOBODY = "";

    TopicOwners {
        owners = List.copyOf(owners);
    }

    /** The node's JSON form: each server once, and each partition's index into them, -1 for none. Immutable. */
    private record Form(long epoch, List<String> servers, List<Integer> owners) {}

    String owner(int partition) {
        return partition >= 0 && partition < owners.size() ? owners.get(partition) : NOBODY;
    }

    byte[] encode() {
        Map<String, Integer> indexOf = new LinkedHashMap<>();
        List<Integer> indexes = new ArrayList<>(owners.size());
        for (String owner : owners) {
            indexes.add(owner.isEmpty() ? -1 : indexOf.computeIfAbsent(owner, each -> indexOf.size()));
        }
        return NodeFormat.encode(new Form(epoch, List.copyOf(indexOf.keySet()), indexes));
    }

    static TopicOwners decode(String path, byte[] data) throws IOException {
        Form form = NodeFormat.decode(path, data, Form.class);
        // One String per server for all topics: with a hundred servers, ids would be most of a view's memory.
        List<String> servers = form.servers.stream().map(String::intern).toList();
        List<String> owners = new ArrayList<>(form.owners.size());
        for (int index : form.owners) {
            if (index < -1 || index >= servers.size()) {
                throw new IOException(path + ": owner " + index + " of " + servers.size() + " servers");
            }
            owners.add(index < 0 ? NOBODY : servers.get(index));
        }
        return new TopicOwners(form.epoch, owners);
    }
}
