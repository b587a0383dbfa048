// SPDX-License-Identifier: Apache-2.0
/**
 * Creates the OpenAPI description of the REST interface from the statements of routes and records. Start at
 * {@link org.talos.server.http.rest.description.RouteDescription}, the statement of a route, and
 * {@link org.talos.server.http.rest.description.RecordSchemas}, the schemas of records.
 */
@NullMarked
package org.talos.server.http.rest.description;

import org.jspecify.annotations.NullMarked;
