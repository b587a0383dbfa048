// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.util.ArrayList;
import java.util.List;

/** This number of partitions, shared out among topics as evenly as can be. Immutable. */
record PartitionedTopics(int topics, int partitions) {
    /** As many as a topic may have, less a few. */
    private static final int OF_A_TOPIC = 250;

    /** A partition of one of the topics. Immutable. */
    record Place(String topic, int partition) {
        /** Returns the path at which its messages are put and got over REST. */
        String messages() {
            return "/v1/topics/" + topic + "/partitions/" + partition + "/messages";
        }
    }

    /** Topics of 250 partitions. */
    static int topicsFor(int partitions) {
        return (partitions + OF_A_TOPIC - 1) / OF_A_TOPIC;
    }

    String name(int topic) {
        return "partitions-" + topic;
    }

    List<String> names() {
        List<String> names = new ArrayList<>();
        for (int topic = 0; topic < topics; topic++) {
            names.add(name(topic));
        }
        return names;
    }

    /** Returns how many of the partitions one topic has. */
    int share(int topic) {
        return partitions / topics + (topic < partitions % topics ? 1 : 0);
    }

    /** The first partition and each so manieth after it, through all topics. */
    List<Place> each(int step) {
        List<Place> places = new ArrayList<>();
        int number = 0;
        for (int topic = 0; topic < topics; topic++) {
            for (int partition = 0; partition < share(topic); partition++) {
                if (number++ % step == 0) {
                    places.add(new Place(name(topic), partition));
                }
            }
        }
        return places;
    }
}
