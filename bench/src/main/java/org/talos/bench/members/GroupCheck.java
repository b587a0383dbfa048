// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.client.transport.Service;
import org.talos.client.transport.SignedCalls;
import org.talos.common.auth.Credential;
import org.talos.thrift.QueryWorkerRequest;
import org.talos.thrift.QueryWorkerResponse;
import org.talos.thrift.TopicTalosResourceName;

/** Reads all groups, and compares their members and locks with those that there should be. Thread-safe. */
final class GroupCheck {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final TalosEndpoint server;
    private final TopicDescription topic;
    private final SignedCalls calls;

    GroupCheck(TalosEndpoint server, TopicDescription topic) {
        this.server = server;
        this.topic = topic;
        calls = new SignedCalls(
                new Credential(server.accessKey(), server.secretKey()), InstantSource.system(), Optional.empty());
    }

    /**
     * Counts the members that are missing or hold other partitions than theirs.
     *
     * @throws IOException the server does not answer
     */
    int wrong(Population population) throws IOException, InterruptedException {
        int wrong = 0;
        for (int group = 0; group < population.groups(); group++) {
            wrong += population.wrong(group, read(group).getWorkerMap());
        }
        return wrong;
    }

    private QueryWorkerResponse read(int group) throws IOException, InterruptedException {
        QueryWorkerRequest asked =
                new QueryWorkerRequest(Population.groupName(group), new TopicTalosResourceName(topic.resourceName()));
        try {
            QueryWorkerResponse answer = calls.call(
                            server.uri(),
                            Service.CONSUMER,
                            MemberCall.LOOK.method(),
                            asked,
                            new QueryWorkerResponse(),
                            TIMEOUT)
                    .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            if (answer == null) {
                throw new IOException("an answer without the members of group " + group);
            }
            return answer;
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the members of group " + group + " cannot be read", e);
        }
    }
}
