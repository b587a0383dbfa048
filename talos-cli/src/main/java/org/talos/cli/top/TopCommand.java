// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.CommandTime;
import org.talos.cli.Connection;
import org.talos.cli.ExitCodes;
import org.talos.cli.argument.DurationConverter;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Shows the traffic and the contents of topics, and the progress of groups, at intervals: on a terminal as a screen
 * with keys, elsewhere as tables.
 *
 * <p>Confined: the main thread.
 */
@Command(
        name = "top",
        description = "Watch your topics and their groups: rates, sizes, lag. On a terminal until q; ? shows the keys. "
                + "Elsewhere --count tables, without any one.",
        mixinStandardHelpOptions = true)
public final class TopCommand implements Callable<Integer> {
    private static final int MOST_SECONDS = 3_600;
    private static final int PLAIN_WIDTH = 120;
    private static final long RESIZE_NANOS = 1_000_000_000L;

    private final CommandContext context;
    private final LongSupplier nanos = CommandTime.nanos();

    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--interval",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Between two looks: 1s to 1h. Default: 2s")
    private int interval = 2;

    @Option(
            names = "--topics",
            paramLabel = "REGEX",
            description = "Only topics in whose name this is found; 100 are shown at most")
    private Optional<String> topics = Optional.empty();

    @Option(names = "--count", paramLabel = "N", description = "End after so many tables, and need no terminal")
    private Optional<Integer> count = Optional.empty();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Creates the command. */
    public TopCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws TalosClientException, CommandException, IOException {
        if (interval < 1 || interval > MOST_SECONDS || count.orElse(1) < 1) {
            throw CommandException.usage("--interval has 1 to " + MOST_SECONDS + " seconds, --count 1 or more");
        }
        TalosClient client = connection.client(context, Transport.CALLS);
        int servers = connection.endpoints(context).size();
        Sampler sampler = new Sampler(client, servers, wanted(), CommandTime.wallClock(), nanos);
        Sample first = sampler.take(); // faults of the server or the key are reported as by every command
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
        try {
            boolean isScreen = context.terminal() && context.interactive() && count.isEmpty();
            if (isScreen && !connection.output().json()) {
                watch(sampler, first, thread);
            } else {
                print(sampler, first, thread);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        } finally {
            thread.shutdownNow();
        }
        return ExitCodes.DONE;
    }

    private Predicate<String> wanted() throws CommandException {
        if (topics.isEmpty()) {
            return name -> true;
        }
        try {
            Pattern pattern = Pattern.compile(topics.get());
            return name -> pattern.matcher(name).find();
        } catch (PatternSyntaxException e) {
            throw CommandException.usage("--topics: no regular expression of RE2: " + e.getDescription());
        }
    }

    private Future<Sample> next(Sampler sampler, ScheduledExecutorService thread) {
        return thread.schedule(sampler::take, interval, TimeUnit.SECONDS);
    }

    private void print(Sampler sampler, Sample first, ScheduledExecutorService thread)
            throws TalosClientException, CommandException, IOException, InterruptedException {
        Sample before = first;
        for (int table = 0; table < count.orElse(1); table++) {
            Sample now = result(next(sampler, thread));
            connection.output().print(context, TopDocument.of(before, now), lines(before, now));
            before = now;
        }
    }

    private static List<String> lines(Sample before, Sample now) {
        TopView view = new TopView("", CommandTime.zone());
        List<String> lines = new ArrayList<>(view.table(before, now, PLAIN_WIDTH, Integer.MAX_VALUE));
        var unused = view.pressed(Key.GROUPS, 0);
        if (!now.groups().isEmpty()) {
            lines.add("");
            lines.addAll(view.table(before, now, PLAIN_WIDTH, Integer.MAX_VALUE));
        }
        return lines;
    }

    private static Sample result(Future<Sample> sample)
            throws TalosClientException, CommandException, InterruptedException {
        try {
            return sample.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TalosClientException failure) {
                throw failure;
            }
            throw new CommandException("the servers could not be asked: " + e.getCause(), e);
        }
    }

    private void watch(Sampler sampler, Sample first, ScheduledExecutorService thread)
            throws CommandException, IOException, InterruptedException {
        String servers = connection.endpoints(context).stream()
                .map(each -> each.uri().toString())
                .collect(Collectors.joining(","));
        TopView view = new TopView(servers, CommandTime.zone());
        view.sampled(first);
        try (TerminalScreen screen =
                TerminalScreen.open(context, spec.commandLine().getErr(), nanos, TopCommand::beforeEnd)) {
            Future<Sample> next = next(sampler, thread);
            TerminalScreen.Size size = screen.size();
            long sizedNanos = nanos.getAsLong();
            Key key = Key.NONE;
            for (boolean changed = true; view.pressed(key, size.lines()); changed = key != Key.NONE) {
                if (next.isDone()) {
                    show(next, view);
                    next = next(sampler, thread);
                    changed = true;
                }
                if (nanos.getAsLong() - sizedNanos > RESIZE_NANOS) {
                    TerminalScreen.Size resized = screen.size();
                    changed |= !resized.equals(size);
                    size = resized;
                    sizedNanos = nanos.getAsLong();
                }
                if (changed) {
                    screen.draw(view.screen(size.width(), size.lines()));
                }
                key = screen.key();
            }
        }
    }

    /** A server that does not answer for a while ends nothing: the screen says so until it does. */
    private static void show(Future<Sample> next, TopView view) throws CommandException, InterruptedException {
        try {
            view.sampled(result(next));
        } catch (TalosClientException e) {
            view.failed(String.valueOf(e.getMessage()));
        }
    }

    /** Runs before the process ends, by a signal too. */
    private static void beforeEnd(Runnable task) {
        Runtime.getRuntime().addShutdownHook(Executors.defaultThreadFactory().newThread(task));
    }
}
