// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import static org.talos.bench.report.Text.format;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.talos.cli.CommandException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options that experiments share. Each experiment declares those that it has, with its defaults; the ranges are
 * checked here. Confined: the main thread.
 */
public final class ExperimentOptions {
    private static final String SHORT = "--short";
    private static final String SECONDS = "--seconds";
    private static final String WARM_UP = "--warmup";
    private static final String ROUNDS = "--rounds";
    private static final String DATA = "--data";
    private static final String SET = "--set";
    private static final String JVM = "--server-options";
    private static final String DEV_CLUSTER = "--devcluster";
    private static final int MOST_SECONDS = 3_600;
    private static final int MOST_ROUNDS = 100;

    private final Map<String, OptionSpec> specs = new LinkedHashMap<>();
    private final Map<String, Preset> presets = new HashMap<>();
    private String jvm = "";

    /** The defaults of a number, for a whole run and for a short one, and its least and its most. Immutable. */
    private record Preset(int whole, int brief, int least, int most) {}

    /** No option yet. */
    public ExperimentOptions() {}

    /** Adds {@code --short}. */
    public ExperimentOptions brief(String description) {
        return add(OptionSpec.builder(SHORT).type(boolean.class).description(description));
    }

    /**
     * Adds {@code --seconds}: how long each case is measured.
     *
     * @param description without the defaults
     * @param whole the default
     * @param brief the default with {@code --short}
     */
    public ExperimentOptions seconds(String description, int whole, int brief) {
        return number(SECONDS, "<seconds>", description, new Preset(whole, brief, 1, MOST_SECONDS));
    }

    /** Adds {@code --warmup}: seconds before each case, at most. */
    public ExperimentOptions warmUp(String description, int whole, int brief) {
        return warmUp(description, whole, brief, MOST_SECONDS);
    }

    /** Adds the same with another bound. */
    public ExperimentOptions warmUp(String description, int whole, int brief, int most) {
        return number(WARM_UP, "<warmUp>", description, new Preset(whole, brief, 0, most));
    }

    /** Adds {@code --rounds}. */
    public ExperimentOptions rounds(String description, int whole, int brief) {
        return number(ROUNDS, "<rounds>", description, new Preset(whole, brief, 1, MOST_ROUNDS));
    }

    private ExperimentOptions number(String name, String label, String description, Preset preset) {
        presets.put(name, preset);
        String briefly = preset.brief == preset.whole ? "" : "; short: " + preset.brief;
        return add(OptionSpec.builder(name)
                .type(Integer.class)
                .paramLabel(label)
                .description(description + ". Default: " + preset.whole + briefly));
    }

    /** Adds {@code --data}. */
    public ExperimentOptions data(String description) {
        return add(OptionSpec.builder(DATA)
                .type(Path.class)
                .paramLabel("DIR")
                .description(description + ". Default: bench/target"));
    }

    /** Adds {@code --set} for the servers' settings. */
    public ExperimentOptions set(String description) {
        return add(OptionSpec.builder(SET)
                .type(Map.class)
                .auxiliaryTypes(String.class, String.class)
                .paramLabel("KEY=VALUE")
                .description(description));
    }

    /** Adds {@code --server-options}. */
    public ExperimentOptions jvm(String description, String preset) {
        jvm = preset;
        return add(OptionSpec.builder(JVM)
                .type(String.class)
                .paramLabel("OPTIONS")
                .description(description + ". Default: " + preset));
    }

    /** Adds {@code --devcluster}. */
    public ExperimentOptions devCluster(String description) {
        return add(OptionSpec.builder(DEV_CLUSTER)
                .type(Path.class)
                .paramLabel("DIR")
                .description(description + ". Default: one that is started and ended"));
    }

    private ExperimentOptions add(OptionSpec.Builder option) {
        OptionSpec built = option.build();
        specs.put(built.longestName(), built);
        return this;
    }

    void addTo(CommandSpec command) {
        specs.values().forEach(command::addOption);
    }

    /** Returns whether a quick look is enough. */
    public boolean isBrief() {
        return this.<Boolean>given(SHORT).orElse(false);
    }

    /** Returns how long each case is measured. */
    public Duration seconds() throws CommandException {
        return Duration.ofSeconds(number(SECONDS));
    }

    /** Returns how long a warm-up lasts at most. */
    public Duration warmUp() throws CommandException {
        return Duration.ofSeconds(number(WARM_UP));
    }

    /** Returns how often each case is measured. */
    public int rounds() throws CommandException {
        return number(ROUNDS);
    }

    /** Returns how long each case is warmed up and measured, and how often. */
    public Timing timing() throws CommandException {
        return new Timing(warmUp(), seconds(), rounds());
    }

    private int number(String name) throws CommandException {
        Preset preset = Objects.requireNonNull(presets.get(name));
        int number = this.<Integer>given(name).orElse(isBrief() ? preset.brief : preset.whole);
        return inRange(name, number, preset.least, preset.most);
    }

    /** Returns the folder for the servers' data, if one was given. */
    public Optional<Path> data() {
        return given(DATA);
    }

    /** Returns the servers' settings as environment variables without {@code TALOS_}. */
    public Map<String, String> set() {
        return this.<Map<String, String>>given(SET).orElse(Map.of());
    }

    /** Returns the options of the servers' JVMs. */
    public List<String> jvm() {
        return List.of(this.<String>given(JVM).orElse(jvm).strip().split(" +"));
    }

    /** Returns the development cluster that continues afterwards, if one was given. */
    public Optional<Path> devCluster() {
        return given(DEV_CLUSTER);
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // as picocli has it: the type of the option
    private <T> Optional<T> given(String name) {
        OptionSpec option = specs.get(name);
        return option == null ? Optional.empty() : Optional.ofNullable(option.getValue());
    }

    /**
     * Returns a number that was given, if it is in its range.
     *
     * @param option that it was given for, with its hyphens
     * @throws CommandException it is not
     */
    public static int inRange(String option, long given, int least, long most) throws CommandException {
        if (given < least || given > most) {
            throw CommandException.usage(format("%s: %d (expected: %d..%d)", option, given, least, most));
        }
        return Math.toIntExact(given);
    }

    /** Returns a number with a fraction that was given, if it is in its range. */
    public static double inRange(String option, double given, double least, double most) throws CommandException {
        if (!(given >= least && given <= most)) {
            throw CommandException.usage(format("%s: %s (expected: %s..%s)", option, given, plain(least), plain(most)));
        }
        return given;
    }

    private static String plain(double number) {
        return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }
}
