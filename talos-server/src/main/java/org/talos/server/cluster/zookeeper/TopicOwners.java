// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who owns each partition of a topic. Immutable.
 *
 * @param epoch one more with each change
 * @param owners server of each partition, empty for none
 */
record TopicOwners(long epoch, List<String> owners) {
    static final String NOBODY = "";

    TopicOwners {
        owners = List.copyOf(owners);
    }

    /** As it stands in its node: servers once, and the place of each partition's among them, -1 for none. Immutable. */
    private record Form(long epoch, List<String> servers, List<Integer> owners) {}

    String owner(int partition) {
        return partition >= 0 && partition < owners.size() ? owners.get(partition) : NOBODY;
    }

    byte[] encode() {
        Map<String, Integer> places = new LinkedHashMap<>();
        List<Integer> indexes = new ArrayList<>(owners.size());
        for (String owner : owners) {
            indexes.add(owner.isEmpty() ? -1 : places.computeIfAbsent(owner, each -> places.size()));
        }
        return NodeFormat.encode(new Form(epoch, List.copyOf(places.keySet()), indexes));
    }

    static TopicOwners decode(String path, byte[] data) throws IOException {
        Form form = NodeFormat.decode(path, data, Form.class);
        List<String> owners = new ArrayList<>(form.owners.size());
        for (int index : form.owners) {
            if (index < -1 || index >= form.servers.size()) {
                throw new IOException(path + ": owner " + index + " of " + form.servers.size() + " servers");
            }
            owners.add(index < 0 ? NOBODY : form.servers.get(index));
        }
        return new TopicOwners(form.epoch, owners);
    }
}
