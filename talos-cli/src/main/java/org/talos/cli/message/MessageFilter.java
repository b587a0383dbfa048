// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.talos.client.consumer.FetchedMessage;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options for which messages are printed: those of a key, or in whose value or key a regular expression is found.
 * The expression is one of RE2, so its time is linear in the length of the text.
 *
 * <p>Confined: the main thread.
 */
public final class MessageFilter {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @Option(
            names = "--grep",
            paramLabel = "REGEX",
            description = "Print only messages in whose value this is found, as by grep -E; --count counts these")
    private Optional<String> wanted = Optional.empty();

    @Option(names = "--key", description = "Print only messages of this key; --count counts these")
    private Optional<String> key = Optional.empty();

    @Option(
            names = "--grep-key",
            paramLabel = "REGEX",
            description = "Print only messages in whose key this is found; those without a key have none")
    private Optional<String> wantedKey = Optional.empty();

    @Option(
            names = {"-i", "--ignore-case"},
            description = "With --grep and --grep-key: capital and small letters are the same")
    private boolean ignoreCase;

    private @Nullable Pattern ofValue;
    private @Nullable Pattern ofKey;

    /** Returns whether messages are skipped. */
    boolean isGiven() {
        return wanted.isPresent() || key.isPresent() || wantedKey.isPresent();
    }

    /**
     * Refuses a text that is not a filter.
     *
     * @throws ParameterException malformed regular expression, or --ignore-case without one
     */
    public void check() {
        if (wanted.isEmpty() && wantedKey.isEmpty() && ignoreCase) {
            throw new ParameterException(command.commandLine(), "--ignore-case is for --grep and --grep-key");
        }
        ofValue = wanted.map(regex -> compiled("--grep", regex)).orElse(null);
        ofKey = wantedKey.map(regex -> compiled("--grep-key", regex)).orElse(null);
    }

    private Pattern compiled(String option, String regex) {
        try {
            return Pattern.compile(regex, ignoreCase ? Pattern.CASE_INSENSITIVE : 0);
        } catch (PatternSyntaxException e) {
            throw new ParameterException(
                    command.commandLine(),
                    option + ": '" + regex + "' is not a regular expression of RE2: " + e.getDescription(),
                    e);
        }
    }

    /** Returns whether a message is wanted. To be called after {@link #check}. */
    boolean passes(FetchedMessage message) {
        Pattern value = ofValue;
        return passesByKey(message.key())
                // As text: in bytes, RE2 trusts one that begins a UTF-8 character, and skips the next ones even if they
                // do not continue it.
                && (value == null || value.matcher(message.text()).find());
    }

    private boolean passesByKey(Optional<String> of) {
        Pattern regex = ofKey;
        return (key.isEmpty() || key.equals(of))
                && (regex == null || (of.isPresent() && regex.matcher(of.get()).find()));
    }
}
