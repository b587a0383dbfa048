// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.quickstart;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.talos.cli.CommandContext;
import org.talos.cli.Progress;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;

/**
 * Puts messages through the signed protocol and REST, gets them back, and compares.
 *
 * <p>Confined: the main thread.
 */
final class MessageComparison {
    /** The topic of the messages. */
    static final String TOPIC = "quickstart";

    private static final int PARTITIONS = 8;
    private static final int SHOWN_DIFFERENCES = 10;

    private final CommandContext context;
    private final PrintWriter err;
    private final int messages;
    private final long seed;

    /** @param err shows the progress */
    MessageComparison(CommandContext context, PrintWriter err, int messages, long seed) {
        this.context = context;
        this.err = err;
        this.messages = messages;
        this.seed = seed;
    }

    /** Returns whether all messages came back as they were put. */
    boolean run(ClientConfig servers) throws IOException, TalosClientException, InterruptedException {
        TalosClient client = new TalosClient(servers);
        TopicDescription topic = topic(client);
        showFirst(client, topic);
        Workload workload = new Workload(seed, messages, PARTITIONS);
        RoundTrip trip = new RoundTrip(client, topic, workload);
        RestTrip rest = new RestTrip(servers, client, topic, workload, trip);
        Phase put = phase("put", messages, trip::put);
        Phase get = phase("get", messages, trip::get);
        Phase restGet = phase("get by REST", messages, rest::get);
        Phase restPut = phase("put by REST", RestTrip.PUTS * PARTITIONS, rest::put);
        context.line(Phase.heading());
        context.line(put.row("put"));
        context.line(get.row("get"));
        context.line(restGet.row("get by REST"));
        context.line(restPut.row("put by REST"));
        List<String> differences = trip.differences();
        for (String each : differences.subList(0, Math.min(SHOWN_DIFFERENCES, differences.size()))) {
            context.line("DIFFERS: " + each);
        }
        boolean matched = differences.isEmpty() && get.messages() == messages && restGet.messages() == messages;
        context.line(
                matched
                        ? "all " + messages + " messages came back: same bytes, same order, dense offsets, in "
                                + PARTITIONS + " partitions; REST and the SDKs' protocol see the same"
                        : "NOT ALL CAME BACK AS THEY WERE PUT: " + differences.size() + " differences");
        return matched;
    }

    /** Puts and gets one message before the thousands, to measure the latency that a new user sees first. */
    private void showFirst(TalosClient client, TopicDescription topic) throws IOException, TalosClientException {
        String text = "hello";
        long offset = new TalosAdmin(client).offsets(topic).get(0).endExclusive();
        try (SimpleProducer producer = new SimpleProducer(client, topic, Compression.NONE)) {
            producer.put(0, List.of(OutgoingMessage.of(text)));
        }
        FetchedMessage back =
                new SimpleConsumer(client, topic, 0).fetch(offset, 1).get(0);
        context.line("the first message: put '" + text + "' to topic " + TOPIC + ", partition 0, and got '"
                + back.text() + "' from offset " + back.offset());
        context.line("now " + messages + " more, each compared:");
    }

    /** A part of a phase. */
    private interface Part {
        void run(Phase phase) throws TalosClientException, InterruptedException;
    }

    private Phase phase(String name, int count, Part part) throws TalosClientException, InterruptedException {
        try (Progress progress = new Progress(context, err, name, Progress.Unit.MESSAGES, count)) {
            Phase phase = new Phase(progress::add);
            part.run(phase);
            return phase;
        }
    }

    /** Creates the topic, unless a kept directory already has it. */
    private static TopicDescription topic(TalosClient client) throws TalosClientException {
        TalosAdmin admin = new TalosAdmin(client);
        try {
            return admin.createTopic(NewTopic.of(TOPIC, PARTITIONS));
        } catch (TalosClientException e) {
            if (e.code().equals("TOPIC_EXIST")) {
                return admin.describeTopic(TOPIC);
            }
            throw e;
        }
    }
}
