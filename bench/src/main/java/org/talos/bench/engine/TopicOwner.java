// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.talos.bench.load.AnswerCheck;
import org.talos.bench.load.ClosedLoop;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.SignedPuts;
import org.talos.bench.load.WarmUp;
import org.talos.bench.load.Window;
import org.talos.cli.CommandException;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewCredential;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

/** A user of a measured server, and the topic that the user owns. Immutable. */
public record TopicOwner(Credential credential, TopicDescription topic) {
    /** Creates both, with the same name. */
    public static TopicOwner create(MeasuredServer server, String name, int partitions)
            throws TalosClientException, CommandException {
        NewCredential key = server.admin().addUser(name, false, List.of(), List.of());
        Credential credential = new Credential(key.accessKey(), key.secretKey());
        return new TopicOwner(credential, topic(server, credential, name, partitions));
    }

    /** Creates another topic of a user. */
    public static TopicDescription topic(MeasuredServer server, Credential owner, String name, int partitions)
            throws TalosClientException {
        TalosEndpoint own = new TalosEndpoint(server.uri(), owner.keyId(), owner.secret());
        return new TalosAdmin(new TalosClient(own).once()).createTopic(NewTopic.of(name, partitions));
    }

    /**
     * Puts into all partitions at a fixed rate.
     *
     * @param size bytes of a message, which cannot be compressed
     * @param perSecond puts of all partitions together
     */
    public LoadResult put(
            MeasuredServer server, int size, long seed, Duration warmUp, Duration measured, double perSecond)
            throws IOException {
        return ClosedLoop.run(
                server.address(),
                SignedPuts.toAll(topic, server.authority(), credential, size, seed),
                AnswerCheck.THRIFT_RESULT,
                WarmUp.lasting(warmUp),
                measured,
                Window.NOBODY,
                perSecond);
    }
}
