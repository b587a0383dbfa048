// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.talos.client.admin.TopicDescription;
import org.talos.common.auth.Credential;

/**
 * The gets of one consumer of one partition: each from behind the last message that it got, so that at the end of the
 * partition it waits for the next message. An answer without messages counts for nothing.
 *
 * <p>Confined: the loop's thread.
 */
public final class Polls implements RequestSource {
    /** As the SDK's consumer asks. */
    static final int MAX_MESSAGES = 1_000;

    private static final int MAX_BYTES = 2 << 20;

    private static final int WAIT_MILLIS = 1_000; // the server's limit of a get that is no REST

    private final PollRequests requests;
    private final MessageCheck check;
    private long offset;

    /** Makes the requests of one partition. Confined: the loop's thread. */
    interface PollRequests {
        ByteBuffer from(long offset);
    }

    Polls(PollRequests requests, MessageCheck check) {
        this.requests = requests;
        this.check = check;
    }

    /**
     * Signed gets.
     *
     * @param host of the server, with port
     * @param checks by partition; as many consumers
     */
    public static List<Polls> signed(
            TopicDescription topic, String host, Credential credential, List<MessageCheck> checks) {
        return signed(topic, host, credential, checks, MAX_BYTES);
    }

    /**
     * Like the overload that asks as the SDK does, with another bound.
     *
     * @param maxBytes of the messages of an answer
     */
    public static List<Polls> signed(
            TopicDescription topic, String host, Credential credential, List<MessageCheck> checks, int maxBytes) {
        RequestSigner signer = new RequestSigner("getMessage", "/v1/api/message", host, credential);
        List<Polls> polls = new ArrayList<>();
        for (int partition = 0; partition < checks.size(); partition++) {
            polls.add(new Polls(new SignedPolls(signer, topic, partition, maxBytes), checks.get(partition)));
        }
        return polls;
    }

    /** Gets over REST, which are not signed; messages come as base64. */
    public static List<Polls> overRest(
            TopicDescription topic, String host, Credential credential, List<MessageCheck> checks) {
        String pair = credential.keyId() + ":" + credential.secret();
        String tail = "&maxMessages=" + MAX_MESSAGES + "&maxBytes=" + MAX_BYTES + "&wait=" + WAIT_MILLIS
                + "&as=base64 HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Basic "
                + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)) + "\r\n\r\n";
        List<Polls> polls = new ArrayList<>();
        for (int partition = 0; partition < checks.size(); partition++) {
            String head = "GET /v1/topics/" + topic.name() + "/partitions/" + partition + "/messages?from=";
            polls.add(new Polls(
                    offset -> ByteBuffer.wrap((head + offset + tail).getBytes(StandardCharsets.US_ASCII)),
                    checks.get(partition)));
        }
        return polls;
    }

    /** Begins again with the first message. */
    public void rewind() {
        offset = 0;
    }

    /** Messages that it has got: all of the partition up to here. */
    public long received() {
        return offset;
    }

    @Override
    public ByteBuffer next() {
        return requests.from(offset);
    }

    @Override
    public Outcome answered(ByteBuffer body) {
        int messages = check.count(body, offset);
        if (messages == MessageCheck.WRONG) {
            return Outcome.WRONG;
        }
        offset += messages;
        return messages == 0 ? Outcome.NOTHING : Outcome.DONE;
    }
}
