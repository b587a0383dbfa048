// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * States the meaning and the allowed values of a JSON record or one of its components. A component of an optional type
 * is a field that may be missing. All others are required.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.RECORD_COMPONENT})
public @interface Described {
    /** Returns the meaning, for people; none if empty. */
    String value() default "";

    /** Returns the name of the field where it is not that of the component; none if empty. */
    String name() default "";

    /** Returns the least value of a number, the fewest characters of a text, or the fewest items of a list. */
    long min() default Long.MIN_VALUE;

    /** Returns the greatest value of a number, the most characters of a text, or the most items of a list. */
    long max() default Long.MAX_VALUE;

    /** Returns the format, by its name in JSON Schema, such as {@code int64}; none if empty. */
    String format() default "";

    /** Returns the pattern of a text; none if empty. */
    String pattern() default "";

    /** Returns all texts that are possible; any if empty. */
    String[] words() default {};

    /** Returns the value that a missing field stands for; none if empty. */
    String usual() default "";

    /** Returns the whole schema as JSON, where the type of the component cannot express it. */
    String schema() default "";
}
