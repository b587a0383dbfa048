// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.cluster;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.client.transport.Service;
import org.talos.client.transport.SignedCalls;
import org.talos.common.auth.Credential;
import org.talos.thrift.GetScheduleInfoRequest;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.TopicTalosResourceName;

/** Asks which server owns which partition of a topic. Thread-safe. */
public final class Owners {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final SignedCalls calls;
    private final TopicDescription topic;

    /** @param user who may describe the topic */
    public Owners(TalosEndpoint user, TopicDescription topic) {
        calls = new SignedCalls(
                new Credential(user.accessKey(), user.secretKey()), InstantSource.system(), Optional.empty());
        this.topic = topic;
    }

    /**
     * The owners of the partitions that have one, as this server knows them.
     *
     * @throws IOException the server does not answer
     */
    public SortedMap<Integer, URI> by(URI server) throws IOException, InterruptedException {
        var asked = new GetScheduleInfoRequest(new TopicTalosResourceName(topic.resourceName()));
        SortedMap<Integer, URI> owners = new TreeMap<>();
        try {
            GetScheduleInfoResponse answer = calls.call(
                            server, Service.MESSAGE, "getScheduleInfo", asked, new GetScheduleInfoResponse(), TIMEOUT)
                    .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            if (answer != null) {
                answer.getScheduleInfo()
                        .forEach((partition, host) ->
                                owners.put(partition.getPartitionId(), URI.create("http://" + host)));
            }
            return owners;
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("no server returns the owners of partitions", e);
        }
    }
}
