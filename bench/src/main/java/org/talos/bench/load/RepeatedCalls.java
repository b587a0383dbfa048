// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/** Signed calls with bodies that are written once: all of them in order, over and over. Confined: the loop's thread. */
public final class RepeatedCalls implements RequestSource {
    private final RequestSigner signer;
    private final List<RequestSigner.Body> bodies;
    private ByteBuffer request = ByteBuffer.allocate(0);
    private int next;

    /**
     * Creates the calls of one connection.
     *
     * @param signer of their method; may be shared by the connections of one loop
     * @param bodies at least one
     */
    public RepeatedCalls(RequestSigner signer, List<RequestSigner.Body> bodies) {
        this.signer = signer;
        this.bodies = List.copyOf(bodies);
    }

    /**
     * Gets of one message each from all partitions of a topic: the first offsets, in order.
     *
     * @param host of the server, with port
     * @param offsets how many messages each partition has at least
     */
    public static List<RepeatedCalls> gets(TopicDescription topic, String host, Credential credential, int offsets) {
        List<Long> all = LongStream.range(0, offsets).boxed().toList();
        return gets(topic, host, credential, Collections.nCopies(topic.partitions(), all));
    }

    /**
     * Like the overload with a number, with offsets that the caller chooses.
     *
     * @param offsets of each partition
     */
    public static List<RepeatedCalls> gets(
            TopicDescription topic, String host, Credential credential, List<List<Long>> offsets) {
        RequestSigner signer = new RequestSigner("getMessage", "/v1/api/message", host, credential);
        List<RepeatedCalls> gets = new ArrayList<>();
        for (int partition = 0; partition < topic.partitions(); partition++) {
            List<RequestSigner.Body> bodies = new ArrayList<>();
            for (long offset : offsets.get(partition)) {
                bodies.add(RequestSigner.Body.of("getMessage", get(topic, partition, offset)));
            }
            gets.add(new RepeatedCalls(signer, bodies));
        }
        return gets;
    }

    private static GetMessageRequest get(TopicDescription topic, int partition, long offset) {
        GetMessageRequest get = new GetMessageRequest(
                new TopicAndPartition(topic.name(), new TopicTalosResourceName(topic.resourceName()), partition),
                offset,
                "bench-get");
        get.setMaxGetMessageNumber(1);
        get.setMaxGetMessageBytes(1); // the message comes whole all the same, and no room is kept for more
        return get;
    }

    @Override
    public ByteBuffer next() {
        RequestSigner.Body body = bodies.get(next);
        next = (next + 1) % bodies.size();
        request = signer.request(body, request);
        return request;
    }
}
