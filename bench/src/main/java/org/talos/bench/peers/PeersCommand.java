// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import static org.talos.bench.engine.ExperimentOptions.inRange;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.bench.engine.ExperimentCommand;
import org.talos.bench.engine.ExperimentOptions;
import org.talos.bench.engine.ExperimentRunner;
import org.talos.bench.synchronous.SynchronousSettings;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.client.TalosClientException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures Talos beside Kafka, RocketMQ, and NATS. Confined: the main thread. */
@Command(
        name = "peers",
        description =
                "Talos with durability flush and fsync beside Kafka and RocketMQ, each acknowledging from the page"
                        + " cache and synced, and NATS if its server is on the path: a putting and a getting thread for"
                        + " each partition, one putting thread, 16 of 1 KB, and puts that are due at half of the slowest"
                        + " one's rate. Server and client of each are processes of their own; rounds interleave the"
                        + " cases.")
public final class PeersCommand extends ExperimentCommand {
    private static final int MOST_PARTITIONS = 256;
    private static final int MOST_SIZE = 1 << 20;
    private static final int MOST_WARM_UP = 240; // a client ends by itself a little later

    @Option(names = "--partitions", description = "And as many threads that put and that get, 1 to 256. Default: 120")
    private int partitions = 120;

    @Option(names = "--size", description = "Bytes of a message, which cannot be compressed. Default: 10240")
    private int size = 10_240;

    @Option(names = "--cases", split = ",", description = "${COMPLETION-CANDIDATES}. Default: all that are there")
    private List<PeerCase> cases = List.of();

    @Option(
            names = "--clients",
            split = ",",
            description = "${COMPLETION-CANDIDATES}: each product's own, or a load that speaks the protocols of Kafka,"
                    + " RocketMQ, and Talos with little processor time; or both in one run: library,lean. Default:"
                    + " library")
    private List<Clients> clients = List.of(Clients.LIBRARY);

    @Option(names = "--loads", split = ",", description = "${COMPLETION-CANDIDATES}. Default: all")
    private List<Shape> shapes = List.of(Shape.values());

    @Option(names = "--rate", description = "Puts a second of the load paced. Default: half of the slowest one's")
    private Optional<Double> rate = Optional.empty();

    @Option(names = "--talos-puts", description = "The SDK's: ${COMPLETION-CANDIDATES}. Default: streams")
    private Way puts = Way.STREAMS;

    @Option(names = "--talos-gets", description = "The SDK's: ${COMPLETION-CANDIDATES}. Default: streams")
    private Way gets = Way.STREAMS;

    @Option(names = "--kafka", paramLabel = "KEY=VALUE", description = "For Kafka's producer: batch.size=65536")
    private Map<String, String> kafkaProducer = new HashMap<>();

    @Option(names = "--kafka-broker", paramLabel = "KEY=VALUE", description = "For its broker: num.io.threads=4")
    private Map<String, String> kafkaBroker = new HashMap<>();

    @Option(
            names = "--rocketmq-broker",
            paramLabel = "KEY=VALUE",
            description = "For RocketMQ's broker: sendMessageThreadPoolNums=16")
    private Map<String, String> rocketMqBroker = new HashMap<>();

    /** The ways in which the SDK reaches the server. */
    private enum Way {
        STREAMS,
        CALLS
    }

    public PeersCommand(CommandContext context) {
        super(
                context,
                new ExperimentOptions()
                        .brief("One round of 10 s, for a quick look: about twenty minutes")
                        .seconds("Measured, each case and load", 30, 10)
                        .warmUp("Seconds before, at most: it ends when compilers are quiet", 60, 30, MOST_WARM_UP)
                        .rounds("Of all cases; tables have medians", 3, 1)
                        .data("Where the servers keep data")
                        .jvm(
                                "JVM of the servers, the same for all",
                                "-Xms2g -Xmx2g -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:+AlwaysPreTouch"));
    }

    @Override
    public Integer call() throws IOException, TalosClientException, CommandException, InterruptedException {
        PeersSettings settings = settings();
        ExperimentRunner run = ExperimentRunner.begin(context(), "peers", settings.described());
        return run.run(new PeersExperiment(settings, run.folder(), run.results()), settings.rounds());
    }

    private PeersSettings settings() throws IOException, CommandException {
        Places places = Places.of(context().home(), context().environment().getOrDefault("PATH", ""));
        if (shapes.contains(Shape.PACED) && !shapes.contains(Shape.MANY) && rate.isEmpty()) {
            throw new CommandException("--loads: paced needs many before it, or --rate");
        }
        List<PeerCase> chosen = cases(places);
        if ((puts == Way.CALLS || gets == Way.CALLS)
                && chosen.stream().anyMatch(each -> each.library() != each && each.product() == Product.TALOS)) {
            throw new CommandException("--talos-puts, --talos-gets: lean clients use streams only (expected: streams)");
        }
        return new PeersSettings(
                inRange("--partitions", partitions, 1, MOST_PARTITIONS),
                inRange("--size", size, SynchronousSettings.LEAST_SIZE, MOST_SIZE),
                options().warmUp(),
                options().seconds(),
                options().rounds(),
                chosen,
                Arrays.stream(Shape.values()).filter(shapes::contains).toList(),
                rate,
                work(),
                options().jvm(),
                places,
                new PeersSettings.Tuning(
                        puts == Way.STREAMS,
                        gets == Way.STREAMS,
                        Map.of(Product.KAFKA, kafkaBroker, Product.ROCKETMQ, rocketMqBroker),
                        kafkaProducer));
    }

    /** Leaves out missing servers, unless they were asked for. */
    private List<PeerCase> cases(Places places) throws IOException, CommandException {
        for (Product each : Product.values()) {
            Optional<String> missing = missing(each, places);
            if (missing.isPresent()) {
                if (cases.stream().anyMatch(wanted -> wanted.product() == each)) {
                    throw new CommandException(missing.get());
                }
                context().line("left out: " + missing.get());
            }
        }
        return Arrays.stream(PeerCase.values())
                .filter(each -> isChosen(each, places))
                .toList();
    }

    private Optional<String> missing(Product product, Places places) {
        return clients.contains(Clients.LIBRARY) || product.hasLeanClient()
                ? places.missing(product)
                : Optional.of(product.label() + ": lean clients speak Kafka, RocketMQ, and Talos only");
    }

    /** A case that names its client is measured whatever {@code --clients} says. */
    private boolean isChosen(PeerCase each, Places places) {
        if (each.clients() == Clients.LEAN && cases.contains(each)) {
            return true;
        }
        boolean wanted = cases.isEmpty() ? places.missing(each.product()).isEmpty() : cases.contains(each.library());
        return wanted && clients.contains(each.clients());
    }
}
