// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

/** A partition as people name it. Immutable. */
public record PartitionName(String topic, int number) {}
