// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RecordSchemasTest {
    private final RecordSchemas schemas = new RecordSchemas();

    record Size(
            @Described(value = "In bytes.", min = 0, max = 10, format = "int64")
            long size,

            @Described(min = 1, max = 3, pattern = "^a") Optional<String> unit) {}

    record Typed(
            String text,
            Instant time,
            boolean flag,
            double number,
            OptionalLong missing,
            List<Integer> list,
            Map<String, String> map,
            List<Optional<Number>> gaps) {}

    @Schema(
            closed = true,
            oneOf = {"here", "there"})
    @Described("A named one.")
    record Named(Optional<String> here, Optional<String> there, Optional<Size> part) {}

    record Holder(@Inlined Size size, @Inlined Optional<Typed> more, Named named) {}

    @Schema
    record Base(int number) {}

    record Extended(@Inlined(byReference = true) Base base, String text) {}

    record Worded(
            @Described(
                    words = {"a", "b"},
                    usual = "b")
            Optional<String> word,

            @Described(usual = "7") Optional<Integer> number,
            @Described(usual = "true") Optional<Boolean> flag,
            @Described(schema = "{\"anyOf\":[]}") String other) {}

    record Unknown(StringBuilder text) {}

    private static JsonNode json(String text) throws Exception {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    /** Compares as text: a number in a tree that was read is of another class. */
    private static void assertSchema(JsonNode schema, String expected) throws Exception {
        assertThat(json(schema.toString())).isEqualTo(json(expected));
    }

    @Test
    void boundsAreThoseOfTheType() throws Exception {
        assertSchema(schemas.of(Size.class), """
                {'type':'object', 'required':['size'], 'properties':{
                  'size':{'type':'integer','description':'In bytes.','format':'int64','minimum':0,'maximum':10},
                  'unit':{'type':'string','pattern':'^a','minLength':1,'maxLength':3}}}""");
    }

    @Test
    void typesSayWhatFieldsAre() throws Exception {
        assertSchema(schemas.of(Typed.class), """
                {'type':'object', 'required':['text','time','flag','number','list','map','gaps'], 'properties':{
                  'text':{'type':'string'}, 'time':{'type':'string','format':'date-time'}, 'flag':{'type':'boolean'},
                  'number':{'type':'number'}, 'missing':{'type':'integer'},
                  'list':{'type':'array','items':{'type':'integer'}},
                  'map':{'type':'object','additionalProperties':{'type':'string'}},
                  'gaps':{'type':'array','items':{'type':['number','null']}}}}""");
    }

    @Test
    void namedRecordIsReferredToAndKept() throws Exception {
        assertSchema(schemas.of(Named.class), "{'$ref':'#/components/schemas/Named'}");
        assertSchema(requireNonNull(schemas.named().get("Named")), """
                {'type':'object', 'description':'A named one.', 'additionalProperties':false,
                 'oneOf':[{'required':['here']},{'required':['there']}], 'properties':{
                  'here':{'type':'string'}, 'there':{'type':'string'},
                  'part':{'type':'object', 'required':['size'], 'additionalProperties':false, 'properties':{
                    'size':{'type':'integer','description':'In bytes.','format':'int64','minimum':0,'maximum':10},
                    'unit':{'type':'string','pattern':'^a','minLength':1,'maxLength':3}}}}}""");
    }

    @Test
    void fieldsOfAnInlinedOptionalRecordAreNotRequired() {
        JsonNode holder = schemas.of(Holder.class);

        assertThat(holder.get("required")).extracting(JsonNode::textValue).containsExactly("size", "named");
        assertThat(holder.get("properties").has("gaps")).isTrue();
        assertThat(holder.get("properties").has("more")).isFalse();
    }

    @Test
    void inlinedByReferenceIsAllOf() throws Exception {
        assertSchema(schemas.of(Extended.class), """
                {'allOf':[{'$ref':'#/components/schemas/Base'},
                  {'type':'object', 'required':['text'], 'properties':{'text':{'type':'string'}}}]}""");
    }

    @Test
    void usualValuesAreOfTheFieldsType() throws Exception {
        JsonNode properties = schemas.of(Worded.class).get("properties");

        assertSchema(properties.get("word"), "{'type':'string','enum':['a','b'],'default':'b'}");
        assertSchema(properties.get("number"), "{'type':'integer','default':7}");
        assertSchema(properties.get("flag"), "{'type':'boolean','default':true}");
        assertSchema(properties.get("other"), "{'anyOf':[]}");
    }

    @Test
    void typeWithoutASchemaIsRefused() {
        assertThatThrownBy(() -> schemas.of(Unknown.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("StringBuilder");
    }
}
