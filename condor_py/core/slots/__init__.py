"""The owner of the slots, pure: claims, policy, draining. Events in, effects out (see core)."""
