// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The profiles of a user: one file each in {@code profiles} of the user's directory. Next to that folder, the file
 * {@code profile} has the name of the profile in use. All files have mode 600.
 *
 * <p>Confined: the main thread.
 */
public final class Profiles {
    /** The variable that names a profile. */
    public static final String VARIABLE = "TALOS_PROFILE";

    private final CommandContext context;

    /** Creates the profiles of the user who runs the command. */
    public Profiles(CommandContext context) {
        this.context = context;
    }

    private Path directory() throws CommandException {
        return context.configDirectory()
                .orElseThrow(() -> new CommandException("no place for profiles: set HOME or XDG_CONFIG_HOME"));
    }

    /** Returns the file of a profile, which need not exist. */
    public Path file(String name) throws CommandException {
        Profile.requireName(name);
        return directory().resolve("profiles").resolve(name);
    }

    private Path inUse() throws CommandException {
        return directory().resolve("profile");
    }

    /** Returns all readable profiles by name; {@link #read} reports why one is unreadable. */
    public SortedMap<String, Optional<Profile>> all() throws CommandException {
        SortedMap<String, Optional<Profile>> all = new TreeMap<>();
        Path folder = directory().resolve("profiles");
        if (!Files.isDirectory(folder)) {
            return all;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = String.valueOf(file.getFileName());
                if (!name.startsWith(".")) { // a file being written: no profile's name begins with a dot
                    all.put(name, readable(name));
                }
            }
        } catch (IOException e) {
            throw new CommandException("the profiles in " + folder + " cannot be read", e);
        }
        return all;
    }

    private Optional<Profile> readable(String name) {
        try {
            return Optional.of(read(name));
        } catch (CommandException e) {
            return Optional.empty(); // it is still listed, and its use reports the reason
        }
    }

    /**
     * Returns a profile.
     *
     * @throws CommandException there is no such profile, it is malformed, or others may read its secret
     */
    public Profile read(String name) throws CommandException {
        Path file = file(name);
        Map<String, String> lines;
        try {
            lines = NamedLines.read(file);
        } catch (NoSuchFileException e) {
            throw CommandException.notThere("no profile '" + name + "' (talos profile list shows the others, talos"
                    + " profile add " + name + " makes it)");
        } catch (IOException e) {
            throw new CommandException("profile " + name + ": " + file + " cannot be read", e);
        }
        Profile profile = Profile.of(name, lines, file);
        if (profile.key().isPresent()) {
            PrivateFile.requirePrivate(file);
        }
        return profile;
    }

    /**
     * Keeps a profile.
     *
     * @param replace whether one of that name may be there
     */
    public void add(Profile profile, boolean replace) throws CommandException {
        Path file = file(profile.name());
        if (!replace && Files.exists(file)) {
            throw new CommandException(
                    "there is a profile " + profile.name() + " already (--replace puts this in its" + " place)");
        }
        PrivateFile.write(file, profile.lines());
    }

    /** Removes a profile, and its key if it has one. */
    public void remove(String name) throws CommandException {
        try {
            if (!Files.deleteIfExists(file(name))) {
                throw CommandException.notThere("no profile '" + name + "'");
            }
            if (used().equals(Optional.of(name))) {
                Files.deleteIfExists(inUse());
            }
        } catch (IOException e) {
            throw new CommandException("profile " + name + " cannot be removed", e);
        }
    }

    /** Makes a profile the one in use. */
    public void use(String name) throws CommandException {
        var unused = read(name);
        PrivateFile.write(inUse(), List.of(name));
    }

    /** Returns the name of the profile in use; empty if there is none, or no directory for profiles. */
    public Optional<String> used() throws CommandException {
        if (context.configDirectory().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Files.readAllLines(inUse()).stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .findFirst();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new CommandException(inUse() + " cannot be read", e);
        }
    }

    /** Returns the name that the environment gives; empty if it gives none. */
    public Optional<String> ofEnvironment() {
        return Optional.of(context.environment().getOrDefault(VARIABLE, "")).filter(name -> !name.isBlank());
    }
}
