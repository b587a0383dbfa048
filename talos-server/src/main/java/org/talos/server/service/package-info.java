// SPDX-License-Identifier: Apache-2.0
/**
 * All services of one server: {@link org.talos.server.service.TalosServices} builds the calls and their pools,
 * {@link org.talos.server.service.Operations} are the same calls without Thrift's envelope.
 */
@NullMarked
package org.talos.server.service;

import org.jspecify.annotations.NullMarked;
