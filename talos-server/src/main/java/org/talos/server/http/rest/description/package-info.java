// SPDX-License-Identifier: Apache-2.0
/**
 * Makes the OpenAPI description of the REST interface from what routes and records state of themselves. Start at
 * {@link org.talos.server.http.rest.description.RouteDescription}, what a route states, and
 * {@link org.talos.server.http.rest.description.RecordSchemas}, the schemas of records.
 */
@NullMarked
package org.talos.server.http.rest.description;

import org.jspecify.annotations.NullMarked;
