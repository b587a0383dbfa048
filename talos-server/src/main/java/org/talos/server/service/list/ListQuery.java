// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.list;

import java.util.Optional;

/**
 * A page of a list that a client asks for. Immutable.
 *
 * @param filter for the rows of the list
 * @param after the place behind which the page begins; empty for the first page
 * @param limit of the rows on the page, 1 or more
 */
public record ListQuery(NameFilter filter, ListOrder order, Optional<ListPlace> after, int limit) {}
