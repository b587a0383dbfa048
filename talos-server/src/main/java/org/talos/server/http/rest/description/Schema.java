// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a record, or a sealed interface of records, that has a place of its own among the schemas of the description,
 * under its simple name. The schema of any other record is written where the record is used.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Schema {
    /** Returns whether the object has no other fields, nor have the objects in it that have no name. */
    boolean closed() default false;

    /** Returns the fields of which an object has exactly one; any if empty. */
    String[] oneOf() default {};
}
