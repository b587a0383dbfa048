// SPDX-License-Identifier: Apache-2.0
/**
 * All services of one server: {@link org.talos.server.service.Subjects} builds the operations of each subject and its
 * calls of the contract, {@link org.talos.server.service.Pools} the pools that they run in, and
 * {@link org.talos.server.service.TalosServices} a server of these. Front ends get
 * {@link org.talos.server.service.Operations}.
 */
@NullMarked
package org.talos.server.service;

import org.jspecify.annotations.NullMarked;
