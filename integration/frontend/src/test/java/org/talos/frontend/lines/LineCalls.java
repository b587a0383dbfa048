// SPDX-License-Identifier: Apache-2.0
package org.talos.frontend.lines;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.TalosException;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.server.auth.AuthenticationException;
import org.talos.server.auth.Principal;
import org.talos.server.frontend.FrontEndContext;
import org.talos.server.memory.RequestMemory;
import org.talos.server.runtime.client.Presence;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ClientInfo;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;

/**
 * The lines of one connection: {@code AUTH key secret}, and {@code GET topic partition offset}, which waits for a
 * message and answers its text. Confined: the connection's thread.
 */
final class LineCalls {
    private static final int MOST_BYTES = 1 << 20;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final FrontEndContext context;
    private Principal sender = Principal.NOBODY;

    LineCalls(FrontEndContext context) {
        this.context = context;
    }

    String answer(String line) {
        String[] words = line.split(" ");
        try {
            return switch (words[0] + " " + words.length) {
                case "AUTH 3" -> authenticate(words[1], words[2]);
                case "GET 4" -> get(new PartitionName(words[1], Integer.parseInt(words[2])), Long.parseLong(words[3]));
                default -> "ERROR unknown line";
            };
        } catch (CompletionException e) {
            return "ERROR " + e.getCause().getMessage();
        } catch (AuthenticationException | MalformedBlockException | RuntimeException e) {
            return "ERROR " + e.getMessage();
        }
    }

    private String authenticate(String key, String secret) throws AuthenticationException {
        sender = context.authentication().authenticator().authenticate(key, secret);
        return "OK";
    }

    private String get(PartitionName partition, long offset) throws MalformedBlockException {
        try (RequestMemory memory = new RequestMemory(context.bounds().memory().of(sender.userId()))) {
            Fetch fetch = new Fetch(partition, offset, 1, MOST_BYTES, LONGEST_WAIT, 1);
            CompletionStage<Fetched> found = context.operations().messages().fetch(call(memory), fetch);
            for (MessageBlock block : found.toCompletableFuture().join().blocks()) {
                memory.reserve(MOST_BYTES); // for the block's messages
                for (MessageAndOffset each : MessageBlocks.read(block, MOST_BYTES)) {
                    if (each.getMessageOffset() == offset) {
                        return "MESSAGE " + text(each.getMessage());
                    }
                }
            }
            return "NONE";
        }
    }

    private static String text(Message message) {
        return UTF_8.decode(message.bufferForMessage()).toString();
    }

    private CallContext call(RequestMemory memory) {
        ClientInfo client = new ClientInfo("", OptionalLong.empty(), LineProvider.NAME);
        long arrived = context.clocks().ticker().nanos();
        return context.operations()
                .requests()
                .begin(sender, this::known, client, arrived, null, Presence.UNSEEN, memory);
    }

    private Principal known() {
        try {
            return context.authentication().stillKnown(sender, null);
        } catch (AuthenticationException e) {
            throw TalosException.refused(ErrorCode.INVALID_AUTH_INFO, e.sentence());
        }
    }
}
