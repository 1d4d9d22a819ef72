"""The version a report names; it changes whenever an answer may."""

ENGINE_VERSION = "0.2.0"
