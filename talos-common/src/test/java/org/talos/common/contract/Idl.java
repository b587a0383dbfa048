// SPDX-License-Identifier: Apache-2.0
package org.talos.common.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An IDL file, read as far as ours go: enums, structs, exceptions, constants by their text, services. Immutable. */
record Idl(
        Map<String, Map<String, Integer>> enums,
        Map<String, List<Field>> structs,
        List<String> exceptions,
        Map<String, String> constants,
        Map<String, Service> services) {

    record Field(int id, String requiredness, String type, String name, String defaultText) {}

    record Service(String parent, Map<String, Method> methods) {}

    record Method(String result, List<Field> arguments, List<Field> errors) {}

    private static final Pattern BLOCK = Pattern.compile(
            "(enum|struct|exception|service) (\\w+)(?: extends ([\\w.]+))? \\{(.*?)\\n\\}", Pattern.DOTALL);
    private static final Pattern ENUM_VALUE = Pattern.compile("(\\w+) = (-?\\d+)");
    private static final Pattern FIELD =
            Pattern.compile("(\\d+): (?:(required|optional) )?([\\w.<>, ]+?) (\\w+)(?: = ([^,\\n]+))?(?:,|\\n|$)");
    private static final Pattern METHOD =
            Pattern.compile("^  ([\\w.]+) (\\w+)\\(([^)]*)\\)(?: throws \\(([^)]*)\\))?", Pattern.MULTILINE);
    private static final Pattern NO_NAME = Pattern.compile("\\W+");
    private static final Pattern CONSTANT = Pattern.compile("^const (.+?) (\\w+) = (.+)$", Pattern.MULTILINE);

    static Idl read(Path file) throws IOException {
        String text = Files.readString(file).replaceAll("(?m)^\\s*//.*\\n", "");
        Idl idl = new Idl(
                new LinkedHashMap<>(),
                new LinkedHashMap<>(),
                new ArrayList<>(),
                new LinkedHashMap<>(),
                new LinkedHashMap<>());
        for (Matcher block = BLOCK.matcher(text); block.find(); ) {
            String body = block.group(4) + "\n";
            switch (block.group(1)) {
                case "enum" -> idl.enums.put(block.group(2), values(body));
                case "service" -> idl.services.put(block.group(2), service(block.group(3), body));
                default -> {
                    idl.structs.put(block.group(2), fields(body));
                    if (block.group(1).equals("exception")) {
                        idl.exceptions.add(block.group(2));
                    }
                }
            }
        }
        for (Matcher constant = CONSTANT.matcher(text); constant.find(); ) {
            idl.constants.put(constant.group(2), constant.group(3));
        }
        return idl;
    }

    /** The enums, structs and exceptions that calls have as arguments, results or errors, and what those contain. */
    static Set<String> typesOfCalls(List<Idl> idls) {
        Deque<String> next = new ArrayDeque<>();
        for (Idl idl : idls) {
            for (Service service : idl.services.values()) {
                for (Method method : service.methods.values()) {
                    next.addAll(names(method.result));
                    method.arguments.forEach(field -> next.addAll(names(field.type)));
                    method.errors.forEach(field -> next.addAll(names(field.type)));
                }
            }
        }
        Set<String> types = new TreeSet<>();
        while (!next.isEmpty()) {
            String name = next.remove();
            for (Idl idl : idls) {
                boolean isEnum = idl.enums.containsKey(name);
                if ((isEnum || idl.structs.containsKey(name)) && types.add(name)) {
                    idl.structs.getOrDefault(name, List.of()).forEach(field -> next.addAll(names(field.type)));
                }
            }
        }
        return types;
    }

    /** The names in a type: those of {@code map<string, topic.TopicState>} are map, string, topic and TopicState. */
    private static List<String> names(String type) {
        return List.of(NO_NAME.split(type));
    }

    private static Map<String, Integer> values(String body) {
        Map<String, Integer> values = new LinkedHashMap<>();
        for (Matcher value = ENUM_VALUE.matcher(body); value.find(); ) {
            values.put(value.group(1), Integer.valueOf(value.group(2)));
        }
        return values;
    }

    private static List<Field> fields(String body) {
        List<Field> fields = new ArrayList<>();
        for (Matcher field = FIELD.matcher(body); field.find(); ) {
            fields.add(new Field(
                    Integer.parseInt(field.group(1)),
                    field.group(2) == null ? "default" : field.group(2),
                    field.group(3),
                    field.group(4),
                    field.group(5)));
        }
        return fields;
    }

    private static Service service(String parent, String body) {
        Map<String, Method> methods = new LinkedHashMap<>();
        for (Matcher method = METHOD.matcher(body); method.find(); ) {
            methods.put(
                    method.group(2),
                    new Method(
                            method.group(1),
                            fields(method.group(3)),
                            method.group(4) == null ? List.of() : fields(method.group(4))));
        }
        return new Service(parent, methods);
    }
}
