// SPDX-License-Identifier: Apache-2.0
/**
 * The records of REST's answers and bodies, a class for each subject. Each record is written as JSON in the order of
 * its components, and is described by them.
 */
@NullMarked
package org.talos.server.http.rest.records;

import org.jspecify.annotations.NullMarked;
