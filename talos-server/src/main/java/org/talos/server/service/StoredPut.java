// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import org.talos.server.service.ServiceAnswer.Delivery;

/**
 * A put that is stored, to the durability of its server. Immutable.
 *
 * @param firstOffset of its first message; the others follow without a gap
 * @param delivery is to hear whether the answer was written: of one that was not, a repetition is recognised
 */
public record StoredPut(long firstOffset, Delivery delivery) {}
