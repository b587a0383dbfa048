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
 * The profiles of a user: a file each in {@code profiles} of the user's directory, and beside that folder the file
 * {@code profile} with the name of the one in use. All are their user's alone, mode 600.
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

    /** Returns the file of a profile, which need not be there. */
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
                if (!name.startsWith(".")) { // one that is being written: no name of a profile begins so
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
            return Optional.empty(); // it is listed all the same, and says so itself where it is used
        }
    }

    /**
     * Returns a profile.
     *
     * @throws CommandException there is none of that name, it is wrong, or others may read its secret
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

    /** Uses a profile from now on, where no other one is named. */
    public void use(String name) throws CommandException {
        var unused = read(name);
        PrivateFile.write(inUse(), List.of(name));
    }

    /** Returns the name of the profile in use; empty if none is, or there is no place for any. */
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
